package codec

const shareGroupName = "share-group"

// shareGroup is the state of a share group (KIP-932). It lives in records, see
// [DecodeShareRecord], or comes from the share coordinator; either way it is a
// [ShareState]. Only the coordinator writes it.
var shareGroup = Format{
	Name:      shareGroupName,
	Carrier:   InternalTopic,
	Writer:    "Apache Kafka's share coordinator (KIP-932)",
	Encodings: []Encoding{{Name: "snapshot"}, {Name: "read-state"}},
}
