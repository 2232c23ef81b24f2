import json, re, sys, urllib.error, urllib.parse, urllib.request

path = urllib.parse.quote("photos/50% off #1/Übersicht 日本")
url = f"http://localhost:8080/api/usercontent/v1/diritems/id/1/{path}?limit=2"
while url:
    try:
        with urllib.request.urlopen(url) as answer:
            for item in json.load(answer)["content"]:
                print(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
            link = re.search('<([^>]*)>; rel="next"', answer.headers.get("Link", ""))
    except urllib.error.HTTPError as failure:
        sys.exit(json.load(failure)["error"])
    url = urllib.parse.urljoin(url, link[1]) if link else None
