package inspect

// SchemaVersion is the version of the JSON documents. Fields may be added to a
// version; a changed meaning is a new one.
const SchemaVersion = 1

// View is a result in its one readable shape: a struct whose JSON tags are the
// machine-readable contract, and tables for people. [Write] writes it.
type View interface {
	// Tables lays the result out.
	Tables(Layout) []Table
}

// Head is what every document begins with.
type Head struct {
	Kind          string `json:"kind"`
	SchemaVersion int    `json:"schema_version"`
}

// ClusterHead is the head of a document about a cluster.
type ClusterHead struct {
	Head
	ClusterID Name `json:"cluster_id"`
	TakenAt   Time `json:"taken_at"`
}

func clusterHead(kind string, s Snapshot) ClusterHead {
	return ClusterHead{Head{kind, SchemaVersion}, Name(s.ClusterID), Time{s.TakenAt}}
}

func (h Head) writeHead(j *jsonWriter) {
	j.str("kind", h.Kind)
	j.count("schema_version", Count(h.SchemaVersion))
}

func (h ClusterHead) writeHead(j *jsonWriter) {
	h.Head.writeHead(j)
	j.name("cluster_id", h.ClusterID)
	j.time("taken_at", h.TakenAt)
}
