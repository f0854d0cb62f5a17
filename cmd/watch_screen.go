package cmd

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// watchScreen is the screen of watch: what is chosen, and what has been drawn.
type watchScreen struct {
	w     *watcher
	ctx   context.Context
	style inspect.MapStyle

	width, height int
	view          inspect.MapOptions
	lines         inspect.MapLines

	shown   []int // positions of the partitions that fit the filter
	chosen  int   // position in shown
	top     int   // the first of shown, or of the open partition's gaps, on screen
	filter  string
	typing  bool        // keys go to the filter
	open    bool        // the chosen partition's gaps are on screen
	gap     codec.Range // the chosen one of them
	records *gapRecords // of the chosen gap, when they are on screen

	failed error // why the last look failed
	ended  error // why it ends, where that is no matter of course
}

// looked is what a look has brought.
type looked struct {
	s   inspect.Snapshot
	err error
}

// due says that it is time for the next look.
type due struct{}

// framesPerSecond is enough for a screen that changes once a second, and keeps
// the processor idle.
const framesPerSecond = 20

// show keeps the screen up to date until a key, a signal or the count ends it.
// However it ends, the terminal is as before.
func (w *watcher) show(ctx context.Context, screen *os.File, style inspect.MapStyle) error {
	s := &watchScreen{w: w, ctx: ctx, style: style, view: inspect.MapOptions{Scale: inspect.MapScaleOwn}}
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithOutput(screen), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond),
	}
	if in, ok := w.options.app.in.(*os.File); ok && isTerminal(in) {
		options = append(options, tea.WithInput(in))
	}
	_, err := tea.NewProgram(s, options...).Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.ended != nil:
		return s.ended
	case errors.Is(err, tea.ErrInterrupted):
		return errInterrupted
	}
	return err
}

// Init waits for the first look after the one that there is.
func (s *watchScreen) Init() tea.Cmd {
	if s.w.done() {
		return tea.Quit
	}
	return s.wait()
}

func (s *watchScreen) wait() tea.Cmd {
	return tea.Tick(s.w.interval, func(time.Time) tea.Msg { return due{} })
}

// Update takes what has happened.
func (s *watchScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
		s.draw()
	case due:
		looks := s.w.looks
		return s, func() tea.Msg {
			snapshot, err := s.w.look(s.ctx, looks)
			return looked{snapshot, err}
		}
	case looked:
		if s.failed = msg.err; msg.err == nil {
			s.w.add(msg.s)
			s.draw()
		}
		if s.w.done() {
			return s, tea.Quit
		}
		return s, s.wait()
	case readRecords:
		msg.of.take(msg)
	case tea.KeyPressMsg:
		return s, s.press(msg)
	}
	return s, nil
}

// press takes a key.
func (s *watchScreen) press(key tea.KeyPressMsg) tea.Cmd {
	name := key.String()
	switch {
	case name == "ctrl+c":
		s.ended = errInterrupted
		return tea.Quit
	case s.typing:
		s.typeFilter(name, key.Text)
		return nil
	}
	switch name {
	case "q":
		return tea.Quit
	case "up", "k":
		s.move(-1)
	case "down", "j":
		s.move(1)
	case "pgup":
		s.move(-max(1, s.room()-1))
	case "pgdown", "space":
		s.move(max(1, s.room()-1))
	case "home", "g":
		s.move(-1 << 30)
	case "end", "G":
		s.move(1 << 30)
	case "enter", "right", "l":
		return s.enter()
	case "esc", "left", "h":
		s.back()
	case "r":
		return s.readAgain()
	case "v":
		s.toggleValues()
	case "/":
		s.closeRecords()
		s.open, s.typing = false, true
	case "f":
		s.view.Full = !s.view.Full
		s.draw()
	case "s":
		s.toggleScale()
	}
	return nil
}

// typeFilter takes a key while the filter is being typed.
func (s *watchScreen) typeFilter(name, text string) {
	switch name {
	case "enter":
		s.typing = false
		return
	case "esc":
		s.typing, s.filter = false, ""
	case "backspace":
		if runes := []rune(s.filter); len(runes) > 0 {
			s.filter = string(runes[:len(runes)-1])
		}
	default:
		s.filter += text
	}
	s.choose()
}

// enter opens the chosen partition, and then the chosen gap of it.
func (s *watchScreen) enter() tea.Cmd {
	switch {
	case len(s.shown) == 0:
	case !s.open:
		s.open, s.top, s.gap = true, 0, codec.Range{}
		s.choose()
	case s.records == nil:
		return s.openRecords()
	}
	return nil
}

// back closes what is open, or drops the filter.
func (s *watchScreen) back() {
	switch {
	case s.records != nil:
		s.closeRecords()
		return
	case s.open:
		s.open, s.top = false, 0
	default:
		s.filter = ""
	}
	s.choose()
}

func (s *watchScreen) toggleScale() {
	if s.view.Scale == inspect.MapScaleShared {
		s.view.Scale = inspect.MapScaleOwn
	} else {
		s.view.Scale = inspect.MapScaleShared
	}
	s.draw()
}
