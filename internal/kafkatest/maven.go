package kafkatest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gapctl/gapctl/interop"
)

// module is a built module of the interop project: a directory with the classes
// and all jars it needs.
type module struct{ name, dir string }

// classpath is what java -cp takes to run the module's classes.
func (m module) classpath() string {
	return strings.Join([]string{
		filepath.Join(m.dir, "kit", "target", "classes"),
		filepath.Join(m.dir, m.name, "target", "classes"),
		filepath.Join(m.dir, "lib", "*"),
	}, string(os.PathListSeparator))
}

// build returns the module built for one Kafka version, from the cache or by
// Maven. Test binaries that want the same module at the same time build it once.
func build(name, version string) (module, error) {
	root, err := cacheDir()
	if err != nil {
		return module{}, err
	}
	sources, err := sourcesOf(name)
	if err != nil {
		return module{}, err
	}
	key := fmt.Sprintf("%s-%s-%x", name, version, sources.digest[:6])
	built := module{name: name, dir: filepath.Join(root, key)}
	if built.exists() {
		return built, nil
	}
	held, err := lock(filepath.Join(root, "maven.lock")) // one Maven at a time in all
	if err != nil {
		return module{}, err
	}
	defer held.Close()
	if built.exists() {
		return built, nil
	}
	return built, built.make(sources, version)
}

func (m module) exists() bool {
	_, err := os.Stat(m.dir)
	return err == nil
}

// make builds beside the final place and renames, so that no half-built module
// is ever seen. The Maven lock is held.
func (m module) make(sources sources, version string) error {
	stage := m.dir + ".stage"
	defer os.RemoveAll(stage) // nothing is there after the rename
	if err := sources.extract(stage); err != nil {
		return fmt.Errorf("kafkatest: %w", err)
	}
	cmd := exec.Command("mvn", "-q", "-B", "-ntp", "-Dstyle.color=never",
		"-pl", m.name, "-am", "compile", "dependency:copy-dependencies",
		"-DexcludeGroupIds=io.github.gapctl.interop", // still classes, not jars
		"-DoutputDirectory="+filepath.Join(stage, "lib"), "-Dkafka.version="+version)
	cmd.Dir = stage
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kafkatest: maven for %s %s: %w\n%s", m.name, version, err, tail(string(out), 40))
	}
	return os.Rename(stage, m.dir)
}

// cacheDir holds built modules and locks.
func cacheDir() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("kafkatest: %w", err)
	}
	dir := filepath.Join(user, "gapctl-test")
	return dir, os.MkdirAll(dir, 0o755)
}

// sources are the files that decide what a module's build gives.
type sources struct {
	files  map[string][]byte
	digest [sha256.Size]byte
}

// sourcesOf gathers every pom, which Maven wants to see, and the Java files of
// the module and of kit.
func sourcesOf(name string) (sources, error) {
	s := sources{files: map[string][]byte{}}
	hash := sha256.New()
	err := fs.WalkDir(interop.Sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		owner, rest, nested := strings.Cut(path, "/")
		ours := !nested || owner == name || owner == "kit"
		if !ours && rest != "pom.xml" {
			return nil
		}
		content, err := fs.ReadFile(interop.Sources, path)
		if err != nil {
			return err
		}
		s.files[path] = content
		if ours {
			fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		}
		return nil
	})
	if err == nil && s.files[name+"/pom.xml"] == nil {
		err = errors.New("no such module: " + name)
	}
	s.digest = [sha256.Size]byte(hash.Sum(nil))
	return s, err
}

func (s sources) extract(dir string) error {
	for path, content := range s.files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
