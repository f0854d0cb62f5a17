package inspect

import (
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

func TestMain(m *testing.M) { kafkatest.Main(m) }
