// Judges notes, tiles and proofs with Go's own sumdb/note and sumdb/tlog. Each line of its input is
// a question in JSON, and each line of its output the answer: an error, or none, and a proof.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Kind    string
	Note    string
	Keys    []string
	Folder  string
	Entry   []byte
	Size    int64
	Root    []byte
	Index   int64
	Old     int64
	OldRoot []byte `json:"old_root"`
	Proof   [][]byte
}

type answer struct {
	Error string   `json:"error"`
	Text  string   `json:"text"`
	Proof [][]byte `json:"proof"`
}

func hash(data []byte) (found tlog.Hash) {
	copy(found[:], data)
	return
}

func hashes(list [][]byte) (found []tlog.Hash) {
	for _, each := range list {
		found = append(found, hash(each))
	}
	return
}

func bytesOf(list []tlog.Hash) [][]byte {
	found := [][]byte{}
	for _, each := range list {
		found = append(found, append([]byte{}, each[:]...))
	}
	return found
}

type folder string

func (f folder) Height() int                      { return 8 }
func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}
func (f folder) ReadTiles(tiles []tlog.Tile) (found [][]byte, err error) {
	for _, tile := range tiles {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(string(f), path))
		if err != nil {
			return nil, err
		}
		found = append(found, data)
	}
	return found, nil
}

func judge(q question) (a answer, err error) {
	tree := tlog.Tree{N: q.Size, Hash: hash(q.Root)}
	switch q.Kind {
	case "note":
		verifiers := []note.Verifier{}
		for _, key := range q.Keys {
			verifier, err := note.NewVerifier(key)
			if err != nil {
				return a, err
			}
			verifiers = append(verifiers, verifier)
		}
		opened, err := note.Open([]byte(q.Note), note.VerifierList(verifiers...))
		if err == nil {
			a.Text = opened.Text
		}
		return a, err
	case "record":
		return a, tlog.CheckRecord(hashes(q.Proof), q.Size, tree.Hash, q.Index, tlog.RecordHash(q.Entry))
	case "tree":
		return a, tlog.CheckTree(hashes(q.Proof), q.Size, tree.Hash, q.Old, hash(q.OldRoot))
	case "prove record":
		proof, err := tlog.ProveRecord(q.Size, q.Index, tlog.TileHashReader(tree, folder(q.Folder)))
		a.Proof = bytesOf(proof)
		return a, err
	case "prove tree":
		proof, err := tlog.ProveTree(q.Size, q.Old, tlog.TileHashReader(tree, folder(q.Folder)))
		a.Proof = bytesOf(proof)
		return a, err
	}
	return a, fmt.Errorf("no such kind: %q", q.Kind)
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		var a answer
		if err = json.Unmarshal(line, &q); err == nil {
			a, err = judge(q)
		}
		if err != nil {
			a.Error = err.Error()
		}
		out.Encode(a)
	}
}
