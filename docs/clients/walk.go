package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
)

func main() {
	tree, after := "http://localhost:8080/api/usercontent/v1/tree/id/1/photos?name=*.jpg", ""
	for line := (struct{ Type, Path, After string }{}); line.Type != "end"; {
		request, _ := http.NewRequest("GET", tree+after, nil)
		request.Header.Set("Accept", "application/x-ndjson")
		answer, err := http.DefaultClient.Do(request)
		if err != nil || answer.StatusCode != http.StatusOK {
			log.Fatal(answer, err)
		}
		for lines := json.NewDecoder(answer.Body); lines.Decode(&line) == nil && line.Type != "end"; line.Path, line.After = "", "" {
			if line.Type == "file" || line.Type == "dir" {
				fmt.Println(line.Path)
			}
			after = "&after=" + url.QueryEscape(line.Path+line.After)
		}
		answer.Body.Close()
	}
}
