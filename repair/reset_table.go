package repair

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxTable bounds a file of offsets, in bytes.
const maxTable = 16 << 20

// TableRow is the offset to which one partition is reset.
type TableRow struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// ParseTable reads the offsets that Kafka's own tool exports
// (ConsumerGroupCommand, --export): lines of topic,partition,offset, or of
// group,topic,partition,offset, which the first line decides. Of the latter
// only those of group count. Blank lines are skipped; there is no header. The
// error names the line.
func ParseTable(r io.Reader, group string) ([]TableRow, error) {
	limited := &io.LimitedReader{R: r, N: maxTable + 1}
	lines := csv.NewReader(limited)
	lines.ReuseRecord = true
	lines.FieldsPerRecord = 0 // as many as the first line has
	seen := map[string]bool{}
	var rows []TableRow
	for {
		fields, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && limited.N == 0:
			return nil, fmt.Errorf("larger than %d bytes", maxTable)
		case errors.Is(err, io.EOF):
			if len(rows) == 0 {
				return nil, fmt.Errorf("no line is for group %s", group)
			}
			return rows, nil
		case err != nil:
			return nil, err // it names the line
		}
		line, _ := lines.FieldPos(0)
		if len(fields) == 4 {
			if fields[0] != group {
				continue
			}
			fields = fields[1:]
		}
		row, err := parseTableRow(fields)
		place := Target{Topic: row.Topic, Partition: row.Partition}.String()
		if err == nil && seen[place] {
			err = fmt.Errorf("%s stands there twice", place)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		seen[place] = true
		rows = append(rows, row)
	}
}

func parseTableRow(fields []string) (TableRow, error) {
	if len(fields) != 3 {
		return TableRow{}, errors.New("want topic,partition,offset or group,topic,partition,offset")
	}
	partition, err := strconv.ParseUint(fields[1], 10, 31)
	if err != nil || fields[0] == "" {
		return TableRow{}, fmt.Errorf("%q and %q are not a topic and a partition", fields[0], fields[1])
	}
	offset, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || offset < 0 {
		return TableRow{}, fmt.Errorf("%q is not an offset", fields[2])
	}
	return TableRow{fields[0], int32(partition), offset}, nil
}
