import http.client, json, time, urllib.error, urllib.parse, urllib.request

tree, after, line = "http://localhost:8080/api/usercontent/v1/tree/id/1/photos?name=*.jpg", "", {}
while line.get("type") != "end":
    request = urllib.request.Request(tree + after, headers={"Accept": "application/x-ndjson"})
    try:
        for text in urllib.request.urlopen(request, timeout=30):
            line = json.loads(text)
            if line["type"] in ("file", "dir"):
                print(line["path"])
            after = "&after=" + urllib.parse.quote(line.get("path") or line.get("after", ""))
    except urllib.error.HTTPError:
        raise
    except (OSError, ValueError, http.client.HTTPException):
        time.sleep(1)  # The answer was cut.
