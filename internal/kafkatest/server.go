package kafkatest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const startTimeout = 5 * time.Minute // four seconds on an idle machine

// server is one broker's files and process; it belongs to no test.
type server struct {
	settings   settings
	module     module
	dir        string // server.properties, server.log, data
	id         int    // of the node
	clusterID  string
	format     []string // how the log is formatted
	port       int      // of clients
	controller int      // port of the quorum
	process    *process
}

// newServer builds what a broker needs and takes leave to run it. An error
// means that the machine lacks something, not that the broker misbehaves.
func newServer(settings settings) (*server, error) {
	module, err := build("broker", settings.version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "kafkatest-")
	if err != nil {
		return nil, fmt.Errorf("kafkatest: %w", err)
	}
	if err := binary.slot.take(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	id[0] &= 0x7f // an ID that begins with "-" would read as an option
	return &server{
		settings: settings, module: module, dir: dir, id: 1, format: []string{"--standalone"},
		clusterID: base64.RawURLEncoding.EncodeToString(id),
	}, nil
}

// close ends the broker, if it runs, and removes its files.
func (s *server) close() {
	s.end(stopGrace)
	_ = os.RemoveAll(s.dir)
	binary.slot.give()
}

func (s *server) end(grace time.Duration) {
	if s.process != nil {
		s.process.end(grace)
	}
}

func (s *server) addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

func (s *server) data() string { return cmp.Or(s.settings.data, filepath.Join(s.dir, "data")) }

// startFresh starts the broker for the first time, on other ports when somebody
// took one between the choice and the start.
func (s *server) startFresh() error {
	for attempt := 1; ; attempt++ {
		s.port, s.controller = freePort(), freePort()
		for i := range s.settings.listeners {
			s.settings.listeners[i].port = freePort()
		}
		err := s.start()
		if err == nil || attempt == 3 || !strings.Contains(s.logTail(), "Address already in use") {
			return err
		}
		s.end(0)
		if err := os.RemoveAll(s.data()); err != nil { // it remembers the ports
			return err
		}
	}
}

// start starts the process and returns when the broker answers.
func (s *server) start() error {
	config := filepath.Join(s.dir, "server.properties")
	if err := errors.Join(
		os.WriteFile(config, []byte(s.properties()), 0o600),
		os.WriteFile(s.log4jFile(), []byte(log4jProperties), 0o600),
	); err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	defer log.Close() // the child has its own
	args := []string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn",
		"-Dlog4j.configuration=file:" + s.log4jFile()}
	args = append(args, s.settings.jvm...)
	args = append(args, "-cp", s.module.classpath(), "io.github.gapctl.interop.Broker",
		config, s.data(), "-t", s.clusterID)
	args = append(args, s.format...)
	args = append(args, shareFeature(s.settings.version)...)
	cmd := exec.Command("java", args...)
	cmd.Stdout, cmd.Stderr = log, log
	if s.process, err = launch(cmd); err != nil {
		return err
	}
	return s.awaitAnswer()
}

// awaitAnswer returns when the broker speaks the protocol and has registered
// itself, so that the first topic can be placed on it.
func (s *server) awaitAnswer() error {
	client, err := kgo.NewClient(kgo.SeedBrokers(s.addr()), kgo.RequestRetries(0))
	if err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	err = errors.New("no answer")
	answered := poll(ctx, func() bool {
		if !s.process.running() {
			cancel()
			return false
		}
		var brokers kadm.BrokerDetails
		if _, err = admin.ApiVersions(ctx); err == nil {
			brokers, err = admin.ListBrokers(ctx)
		}
		return err == nil && slices.Contains(brokers.NodeIDs(), int32(s.id))
	})
	switch {
	case answered:
		return nil
	case !s.process.running():
		return fmt.Errorf("kafkatest: broker ended by itself: %w\n%s", s.process.err, s.logTail())
	default:
		return fmt.Errorf("kafkatest: broker gave no answer in %v: %w\n%s", startTimeout, err, s.logTail())
	}
}

// freePort is a loopback port that nobody listens on. It lies below the range
// from which systems take the ports of outgoing connections, so that it stays
// free while the broker restarts.
func freePort() int {
	for {
		port := 20000 + mathrand.IntN(10000)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = listener.Close()
			return port
		}
	}
}

func (s *server) log4jFile() string { return filepath.Join(s.dir, "log4j.properties") }

func (s *server) logFile() string { return filepath.Join(s.dir, "server.log") }

// logTail is the end of the server log, to show beside a failure.
func (s *server) logTail() string {
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return "no server log: " + err.Error()
	}
	return "--- end of the server log ---\n" + tail(string(text), 60)
}

// tail is the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
