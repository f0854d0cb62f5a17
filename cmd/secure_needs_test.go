package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// right is an ACL: an operation on a group, a topic, a transactional ID or the
// cluster.
type right struct {
	operation kadm.ACLOperation
	resource  string
	name      string
}

// need is what commands need. GROUP, TOPIC and TARGET are names of the test's,
// and in the documentation they are what they say.
type need struct {
	commands string // as the documentation has them
	rights   []right
	kind     kind
	tries    [][2]string // how the test runs them, and what each prints when it may
}

// kind is what GROUP is.
type kind int

const (
	ordinary kind = iota // it has Parallel Consumer's gaps
	native
	share
)

// needs is the table of rights. testNeeds proves that each is enough, and that
// nothing in it can be left out, nor be less than it is. The right to make a
// topic stands first, to be tried while the topic is not there.
func needs() []need {
	var (
		seeGroup    = right{kadm.OpDescribe, "group", "GROUP"}
		seeTopic    = right{kadm.OpDescribe, "topic", "TOPIC"}
		readTopic   = right{kadm.OpRead, "topic", "TOPIC"}
		joinGroup   = right{kadm.OpRead, "group", "GROUP"}
		deleteGroup = right{kadm.OpDelete, "group", "GROUP"}
		writeCopies = right{kadm.OpWrite, "topic", "TARGET"}
		transact    = right{kadm.OpWrite, "transactional ID", "gapctl-GROUP"}
		states      = right{kadm.OpRead, "topic", "__share_group_state"}
		askStates   = right{kadm.OpClusterAction, "cluster", ""}
		readCommits = right{kadm.OpRead, "topic", "__consumer_offsets"}
		makeNative  = right{kadm.OpCreate, "topic", "__individual_commit_offsets"}
		readNative  = right{kadm.OpRead, "topic", "__individual_commit_offsets"}
		checkNative = right{kadm.OpDescribeConfigs, "topic", "__individual_commit_offsets"}
		seeNative   = right{kadm.OpDescribe, "topic", "__individual_commit_offsets"}
		writeNative = right{kadm.OpWrite, "topic", "__individual_commit_offsets"}
	)
	changeNative := []right{joinGroup, readTopic, readNative, writeNative, checkNative, transact}
	return []need{
		{"`list`, `describe`, `gaps`, `watch`, `map --skip-records`", []right{seeGroup, seeTopic}, ordinary, [][2]string{
			{"list --topic TOPIC -o csv", "GROUP,Empty,1,2,3"}, {"describe GROUP", "3-4,7"}, {"gaps GROUP -o csv", "TOPIC,0,7,7,1"},
			{"watch GROUP --count 1", "outstanding 3"}, {"map GROUP --skip-records", "TOPIC/0"},
		}},
		{"the same, with the age of the oldest gap; `check`, `report`, `records`", []right{seeGroup, readTopic}, ordinary, [][2]string{
			{"describe GROUP", "oldest outstanding record written"}, {"check GROUP --stuck-after 1ms", "stuck TOPIC/0"},
			{"report GROUP", "key-7"}, {"records GROUP", "key-7"},
		}},
		{"`history`", []right{readCommits}, ordinary, [][2]string{{"history GROUP", "TOPIC"}}},
		{"`skip`, `compact`, `convert`, `replay --exec`, `replay --to-stdout` that leave gaps", []right{joinGroup, readTopic}, ordinary, [][2]string{
			{"skip GROUP TOPIC/0@7 --execute --yes", "applied"}, {"compact GROUP --execute --yes", "applied"},
			{"convert GROUP --to pyrallel --execute --yes", "applied"},
			{"replay GROUP --exec true --execute --yes", "applied"}, {"replay GROUP --to-stdout --execute --yes", "key-7"},
		}},
		{"`reset`, and the same where no gaps are left; READ for DESCRIBE where the native topic is there", []right{joinGroup, readTopic, seeNative}, ordinary, [][2]string{
			{"reset GROUP --to-latest --execute --yes", "applied"},
		}},
		{"`reset --delete-offsets`", []right{joinGroup, deleteGroup, readTopic, seeNative}, ordinary, [][2]string{
			{"reset GROUP --delete-offsets --execute --yes", "applied"},
		}},
		{"`replay --to-topic TARGET` that leaves gaps", []right{joinGroup, readTopic, writeCopies, transact}, ordinary, [][2]string{
			{"replay GROUP --to-topic TARGET --execute --yes", "applied"},
		}},
		{"`convert --to native`; CREATE only where the topic is not there yet", append([]right{makeNative}, changeNative...), ordinary, [][2]string{
			{"convert GROUP --to native --execute --yes", "applied"},
		}},
		{"`skip`, `compact` of native commits", changeNative, native, [][2]string{
			{"skip GROUP TOPIC/0@7 --execute --yes", "applied"}, {"compact GROUP --execute --yes", "applied"},
		}},
		{"`describe`, `gaps` of native commits", []right{seeGroup, seeTopic, readNative}, native, [][2]string{
			{"describe GROUP", "3-4,7"}, {"gaps GROUP -o csv", "TOPIC,0,7,7,1"},
		}},
		{"`describe` of a share group", []right{seeGroup, seeTopic, states}, share, [][2]string{{"describe GROUP", "0,5,10,15"}}},
		{"the same, from the share coordinator", []right{seeGroup, seeTopic, askStates}, share, [][2]string{{"describe GROUP", "0,5,10,15"}}},
		{"`records` of a share group", []right{seeGroup, readTopic, states}, share, [][2]string{{"records GROUP", "key-5"}}},
		{"`replay --rejected --to-topic TARGET`", []right{seeGroup, readTopic, states, writeCopies, transact}, share, [][2]string{
			{"replay GROUP --rejected --to-topic TARGET --execute --yes", "applied"},
		}},
		{"`skip` and `reset` of a share group", []right{joinGroup, readTopic}, share, [][2]string{
			{"skip GROUP TOPIC/0@5 --execute --yes", "applied"}, {"reset GROUP --to-latest --execute --yes", "applied"},
		}},
	}
}

// testNeeds: with the rights of the table each command works, and without any
// one of them it does not.
func (s *secured) testNeeds(t *testing.T) {
	s.CreateTopic("shared", 1, nil)
	s.Fill("shared", 1, 20)
	s.RunShare(kafkatest.ShareOptions{Group: "sharing", Topics: []string{"shared"}, Release: kafkatest.Every(5), Reject: kafkatest.EveryPlus(5, 1), UntilCovered: true})
	s.CreateTopic("copies", 1, nil)
	for i, n := range needs() {
		for j, try := range n.tries {
			t.Run(try[0], func(t *testing.T) { s.testNeed(t, n, try, fmt.Sprintf("%d-%d", i, j)) })
		}
	}
	s.grant(t, strings.NewReplacer(), nil)
}

// testNeed tries one command, each time on a group of its own, because one that
// fails may have written all the same. Without a right one may still describe.
func (s *secured) testNeed(t *testing.T, n need, try [2]string, id string) {
	works := func(times int, rights []right) (reply, bool) {
		group, topic := "sharing", "shared"
		if n.kind != share {
			group, topic = fmt.Sprintf("group-%s-%d", id, times), fmt.Sprintf("topic-%s-%d", id, times)
			s.lossy(group, topic)
		}
		if n.kind == native {
			s.as(t, s.alice(), "convert", group, "--to", "native", "--execute", "--yes").want(t, exitOK)
		}
		names := strings.NewReplacer("GROUP", group, "TOPIC", topic, "TARGET", "copies")
		s.grant(t, names, rights)
		got := s.asDave(t, append(strings.Fields(names.Replace(try[0])), "--timeout", "30s")...)
		return got, (got.code == exitOK || got.code == exitFindings) && strings.Contains(got.out, names.Replace(try[1]))
	}
	for i, r := range n.rights {
		less := slices.Clone(n.rights)
		if less[i].operation = kadm.OpDescribe; r.operation == kadm.OpDescribe || r.resource == "cluster" {
			less = slices.Delete(less, i, i+1)
		}
		if got, ok := works(i, less); ok {
			t.Errorf("works without %s:\n%s%s", r, got.out, got.errs)
		}
	}
	if got, ok := works(len(n.rights), n.rights); !ok {
		t.Errorf("does not work: exit code %d\n%s%s", got.code, got.out, got.errs)
	}
}

// lossy is a group with gaps at 3, 4 and 7, of which the topic has lost 3.
func (s *secured) lossy(group, topic string) {
	s.t.Helper()
	s.CreateTopic(topic, 1, nil)
	s.Fill(topic, 1, 20)
	s.commit(group, topic)
	admin, ctx := s.admin()
	until := kadm.Offsets{}
	until.AddOffset(topic, 0, 4, -1)
	if results, err := admin.DeleteRecords(ctx, until); err != nil || results.Error() != nil {
		s.t.Fatal(err, results.Error())
	}
}

func (r right) String() string {
	return strings.TrimSpace(r.operation.String() + " on " + r.resource + " " + r.name)
}

// grant gives dave these rights and no other, and waits until the broker knows.
func (s *secured) grant(t *testing.T, names *strings.Replacer, rights []right) {
	t.Helper()
	admin, ctx := s.admin()
	all := func() *kadm.ACLBuilder {
		return kadm.NewACLs().AnyResource().Operations(kadm.OpAny).Allow("User:dave").AllowHosts().ResourcePatternType(kadm.ACLPatternAny)
	}
	if _, err := admin.DeleteACLs(ctx, all()); err != nil {
		t.Fatal(err)
	}
	for _, r := range rights {
		b, name := kadm.NewACLs().Operations(r.operation), names.Replace(r.name)
		switch r.resource {
		case "group":
			b.Groups(name)
		case "topic":
			b.Topics(name)
		case "transactional ID":
			b.TransactionalIDs(name)
		case "cluster":
			b.Clusters()
		}
		s.allow(b)
	}
	for {
		known := 0
		results, err := admin.DescribeACLs(ctx, all())
		for _, r := range results {
			known += len(r.Described)
		}
		if err != nil {
			t.Fatal(err)
		}
		if known == len(rights) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// rightsTable is the table for the documentation.
func rightsTable() string {
	var b strings.Builder
	b.WriteString("| to do this | these ACLs are needed |\n|---|---|\n")
	for _, n := range needs() {
		var texts []string
		for _, r := range n.rights {
			texts = append(texts, r.String())
		}
		fmt.Fprintf(&b, "| %s | %s |\n", n.commands, strings.Join(texts, ", "))
	}
	return b.String()
}

// TestRightsTable: the documentation has the table that testNeeds proves; with
// -update it gets it.
func TestRightsTable(t *testing.T) {
	path := filepath.Join("..", "docs", "OPERATIONS.md")
	text := readFile(t, path)
	before, rest, begins := strings.Cut(text, " -update -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end of rights -->\n")
	if !begins || !ends {
		t.Fatalf("%s has no marks around the table of rights", path)
	}
	made := before + " -update -->\n" + rightsTable() + "<!-- end of rights -->\n" + after
	switch {
	case made == text:
	case *update:
		if err := os.WriteFile(path, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table of rights; go test ./cmd -run TestRightsTable -update writes it", path)
	}
}
