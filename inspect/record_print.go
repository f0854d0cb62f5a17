package inspect

import (
	"fmt"
	"io"
	"strconv"
)

// recordPrinter writes records by a format as kcat has it.
type recordPrinter struct {
	w      io.Writer
	pieces []printPiece
	clean  bool
	b      []byte
}

// printPiece is a text, or, where verb is not 0, a property of the record.
type printPiece struct {
	text string
	verb byte
}

// NewRecordPrinter makes a writer of records by format: %t topic, %p partition,
// %o offset, %T timestamp in milliseconds, %k key, %K its length, %s value, %S
// its length, %h headers, %g group, %d delivery count, %% a percent sign; \n,
// \r, \t, \\ and \xHH are characters. An absent key or value is NULL, its
// length -1. Where clean, no control character of a record reaches w as such.
func NewRecordPrinter(w io.Writer, format string, clean bool) (RecordWriter, error) {
	p := &recordPrinter{w: w, clean: clean}
	var text []byte
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' && c != '\\' {
			text = append(text, c)
			continue
		}
		i++
		if i == len(format) {
			return nil, fmt.Errorf("%q ends in %q", format, string(c))
		}
		if c == '\\' {
			b, used, err := unescape(format[i:])
			if err != nil {
				return nil, err
			}
			text = append(text, b)
			i += used - 1
			continue
		}
		switch verb := format[i]; verb {
		case '%':
			text = append(text, '%')
		case 't', 'p', 'o', 'T', 'k', 'K', 's', 'S', 'h', 'g', 'd':
			p.pieces = append(p.pieces, printPiece{text: string(text)}, printPiece{verb: verb})
			text = text[:0]
		default:
			return nil, fmt.Errorf("%q: %%%c is not known: want one of %%t %%p %%o %%T %%k %%K %%s %%S %%h %%g %%d %%%%", format, verb)
		}
	}
	p.pieces = append(p.pieces, printPiece{text: string(text)})
	return p, nil
}

// unescape reads what follows a backslash.
func unescape(s string) (b byte, used int, err error) {
	switch s[0] {
	case 'n':
		return '\n', 1, nil
	case 'r':
		return '\r', 1, nil
	case 't':
		return '\t', 1, nil
	case '\\':
		return '\\', 1, nil
	case 'x':
		if len(s) >= 3 {
			if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				return byte(n), 3, nil
			}
		}
	}
	return 0, 0, fmt.Errorf(`\%c is not known: want \n, \r, \t, \\ or \xHH`, s[0])
}

func (p *recordPrinter) Write(r *Record) error {
	for _, piece := range p.pieces {
		if piece.verb == 0 {
			p.b = append(p.b, piece.text...)
			continue
		}
		p.append(piece.verb, r)
	}
	if len(p.b) < flushAt {
		return nil
	}
	return p.flush()
}

func (p *recordPrinter) Close() error { return p.flush() }

func (p *recordPrinter) flush() error {
	_, err := p.w.Write(p.b)
	p.b = p.b[:0]
	return err
}

func (p *recordPrinter) append(verb byte, r *Record) {
	switch verb {
	case 't':
		p.bytes([]byte(r.Topic))
	case 'g':
		p.bytes([]byte(r.Group))
	case 'p':
		p.number(int64(r.Partition))
	case 'o':
		p.number(r.Offset)
	case 'T':
		p.number(r.Timestamp.UnixMilli())
	case 'd':
		p.number(int64(r.Deliveries))
	case 'k':
		p.bytes(r.Key)
	case 's':
		p.bytes(r.Value)
	case 'K':
		p.length(r.Key)
	case 'S':
		p.length(r.Value)
	case 'h':
		for i, h := range r.Headers {
			if i > 0 {
				p.b = append(p.b, ',')
			}
			p.bytes([]byte(h.Key))
			p.b = append(p.b, '=')
			p.bytes(h.Value)
		}
	}
}

func (p *recordPrinter) number(n int64) { p.b = strconv.AppendInt(p.b, n, 10) }

func (p *recordPrinter) length(b []byte) {
	if b == nil {
		p.number(-1)
		return
	}
	p.number(int64(len(b)))
}

func (p *recordPrinter) bytes(b []byte) {
	switch {
	case b == nil:
		p.b = append(p.b, "NULL"...)
	case p.clean:
		p.b = append(p.b, Clean(string(b))...)
	default:
		p.b = append(p.b, b...)
	}
}
