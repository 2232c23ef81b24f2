package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
)

type item struct {
	Visibility struct {
		Inherited  bool   `json:"inherited"`
		Visibility string `json:"visibility"`
	} `json:"visibility"`
	IsFile       bool   `json:"is_file"`
	Name         string `json:"name"`
	LastModified uint64 `json:"last_modified"`
	Size         uint64 `json:"size"`
}

var next = regexp.MustCompile(`<([^>]*)>; rel="next"`)

func main() {
	lines := json.NewEncoder(os.Stdout)
	path := url.PathEscape("photos/50% off #1/Übersicht 日本")
	page := "http://localhost:8080/api/usercontent/v1/diritems/id/1/" + path + "?limit=2"
	for page != "" {
		answer, err := http.Get(page)
		if err != nil {
			log.Fatal(err)
		}
		var body struct {
			Error   string `json:"error"`
			Content []item `json:"content"`
		}
		err = json.NewDecoder(answer.Body).Decode(&body)
		answer.Body.Close()
		if err != nil {
			log.Fatal(err)
		}
		if answer.StatusCode != http.StatusOK {
			log.Fatal(body.Error)
		}
		for _, item := range body.Content {
			lines.Encode(item)
		}
		page = ""
		if link := next.FindStringSubmatch(answer.Header.Get("Link")); link != nil {
			following, err := answer.Request.URL.Parse(link[1])
			if err != nil {
				log.Fatal(err)
			}
			page = following.String()
		}
	}
}
