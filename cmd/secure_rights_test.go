package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

func (s *secured) dave() string {
	return s.config("dave.properties", "sasl.mechanism=SCRAM-SHA-256", "sasl.username=dave", "sasl.password=s3cret")
}

// alice may do everything.
func (s *secured) alice() string {
	return s.config("alice.properties", "sasl.mechanism=PLAIN", "sasl.username=alice", "sasl.password=s3cret")
}

// commit commits gaps for a group, as Parallel Consumer does.
func (s *secured) commit(group string, topics ...string) {
	s.t.Helper()
	code, metadata, errs := runWith(s.t.Context(), nil, "encode", "--stable", "3", "--max", "9", "--gaps", "3-4,7", "--format", "parallel-consumer")
	if code != exitOK {
		s.t.Fatal(errs)
	}
	admin, ctx := s.admin()
	offsets := kadm.Offsets{}
	for _, topic := range topics {
		offsets.Add(kadm.Offset{Topic: topic, Partition: 0, At: 3, LeaderEpoch: -1, Metadata: strings.TrimSpace(metadata)})
	}
	if err := admin.CommitAllOffsets(ctx, group, offsets); err != nil {
		s.t.Fatal(err)
	}
}

// reply is what a command said.
type reply struct {
	code      int
	out, errs string
}

// as runs a command with a file of client properties, and a journal of its own.
func (s *secured) as(t *testing.T, config string, args ...string) reply {
	t.Helper()
	env := map[string]string{"XDG_STATE_HOME": s.dir}
	code, out, errs := runWith(t.Context(), env, append(args, "--command-config", config)...)
	return reply{code, out, errs}
}

func (s *secured) asDave(t *testing.T, args ...string) reply {
	t.Helper()
	return s.as(t, s.dave(), args...)
}

// want checks an answer: texts that begin with "!" must not be in it.
func (got reply) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if got.code != code {
		t.Errorf("exit code %d, want %d", got.code, code)
	}
	for _, text := range texts {
		absent, negated := strings.CutPrefix(text, "!")
		if strings.Contains(got.out+got.errs, absent) == negated {
			t.Errorf("want %q", text)
		}
	}
	if t.Failed() {
		t.Fatalf("standard output %s\nstandard error %s", got.out, got.errs)
	}
}

// testRights: who may see some gets just that, and is told what else there is
// to ask for.
func (s *secured) testRights(t *testing.T) {
	for _, topic := range []string{"orders", "payroll"} {
		s.CreateTopic(topic, 1, nil)
		s.Fill(topic, 1, 20)
	}
	s.commit("billing", "orders", "payroll")
	s.commit("salaries", "payroll")

	s.asDave(t, "describe", "billing").want(t, exitDenied, "group billing: describe group billing: GROUP_AUTHORIZATION_FAILED", "hint: needs DESCRIBE on the group")
	s.asDave(t, "list", "--all").want(t, exitOK, "!billing", "!salaries")

	s.allow(kadm.NewACLs().Groups("billing").Operations(kadm.OpDescribe))
	s.asDave(t, "describe", "billing").want(t, exitOK, "!orders", "only shows commits on topics that one may describe")

	s.asDave(t, "compact", "billing", "--execute", "--yes").want(t, exitFailure, "may not describe", "!nothing to do")
	s.asDave(t, "compact", "billing", "--topic", "payroll", "--execute", "--yes").want(t, exitDenied, "needs DESCRIBE on the topic", "!nothing to do")

	s.allow(kadm.NewACLs().Topics("orders").Operations(kadm.OpDescribe))
	const seen = "orders/0              3    9   20  3-4,7            3        14   17"
	s.asDave(t, "describe", "billing").want(t, exitOK, seen, "!payroll", "the age of the oldest gap is not known where records may not be read")
	s.asDave(t, "list", "--all").want(t, exitOK, "billing", "!salaries")
	s.asDave(t, "describe", "billing", "salaries").want(t, exitPartial, seen, "group salaries: describe group salaries: GROUP_AUTHORIZATION_FAILED")
	s.asDave(t, "describe", "salaries", "-o", "json").want(t, exitDenied, `"class":"denied"`, "needs DESCRIBE on the group")
	s.asDave(t, "records", "billing").want(t, exitDenied, "TOPIC_AUTHORIZATION_FAILED", "needs READ on topic orders")

	s.allow(kadm.NewACLs().Topics("orders").Operations(kadm.OpRead))
	s.asDave(t, "describe", "billing").want(t, exitOK, seen, "!the age of the oldest gap is not known")
	s.asDave(t, "records", "billing").want(t, exitOK, "key-3", "key-7", "!key-5")
	s.asDave(t, "skip", "billing", "orders/0@7", "--execute", "--yes").want(t, exitDenied, "needs READ")
	s.asDave(t, "describe", "billing").want(t, exitOK, seen)
	t.Run("needs", s.testNeeds)
}

// testShareRights: without a right on the share coordinator the state is folded
// from its topic, and without that the start offset and the lag remain.
func (s *secured) testShareRights(t *testing.T) {
	s.CreateTopic("parcels", 1, nil)
	s.Fill("parcels", 1, 20)
	s.RunShare(kafkatest.ShareOptions{Group: "shipping", Topics: []string{"parcels"}, Release: kafkatest.Every(5), UntilCovered: true})
	s.allow(kadm.NewACLs().Groups("shipping").Operations(kadm.OpDescribe))
	s.allow(kadm.NewACLs().Topics("parcels").Operations(kadm.OpDescribe))

	const state, noState = "0,5,10,15", "the record states of 1 share partition"
	got := s.asDave(t, "describe", "shipping")
	got.want(t, exitOK, "parcels/0", noState, "CLUSTER_ACTION on the cluster", "READ on topic __share_group_state", "!"+state)
	s.asDave(t, "reset", "shipping", "--to-latest").want(t, exitOK, "what is wiped can not be seen in 1 partition", "CLUSTER_ACTION")
	if n := strings.Count(got.errs, noState); n != 1 {
		t.Errorf("said %d times, want once: %s", n, got.errs)
	}
	s.allow(kadm.NewACLs().Topics("__share_group_state").Operations(kadm.OpRead))
	s.asDave(t, "describe", "shipping").want(t, exitOK, state, "!"+noState)
	s.revoke("__share_group_state")
	s.allow(kadm.NewACLs().Clusters().Operations(kadm.OpClusterAction))
	s.asDave(t, "describe", "shipping").want(t, exitOK, state, "!"+noState)

	env := map[string]string{"GAPCTL_CONFIG": filepath.Join(t.TempDir(), "config.yaml")}
	for _, args := range [][]string{{"context", "add", "dave", "--command-config", s.dave()}, {"context", "test"}} {
		code, out, errs := runWith(t.Context(), env, args...)
		if args[1] == "test" {
			reply{code, out, errs}.want(t, exitOK, "user dave (SCRAM-SHA-256)", "right describe        no", "right cluster-action  unknown")
		}
	}
}

// revoke takes all rights on a topic from everybody.
func (s *secured) revoke(topic string) {
	s.t.Helper()
	admin, ctx := s.admin()
	results, err := admin.DeleteACLs(ctx, kadm.NewACLs().Topics(topic).Operations(kadm.OpAny).AllowHosts().Allow().DenyHosts().Deny().ResourcePatternType(kadm.ACLPatternLiteral))
	for _, r := range results {
		if err == nil {
			err = r.Err
		}
	}
	if err != nil {
		s.t.Fatalf("revoke: %v", err)
	}
}
