/** Its addresses are relative: the service may stand behind a path prefix. */
export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Canopy: the HTTP API</title>
<link rel="icon" type="image/png" sizes="32x32" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<noscript>This page shows <a href="openapi.json">openapi.json</a> and needs JavaScript.</noscript>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/initializer.js"></script>
</body>
</html>
`

export const docsInitializer = `// Swagger UI encodes a path as one segment, but "%2F" is a slash inside a name, which no name has:
// whoever types a slash means the one between two names.
const withSlashes = (request) => {
  const [path, ...query] = request.url.split('?')
  return Object.assign(request, { url: [path.replace(/%2F/gi, '/'), ...query].join('?') })
}

const tokens = /"(?:\\\\.|[^"\\\\])*"|[[\\]{},:]|[^\\s[\\]{},:"]+/g

// JSON on many lines. Not by JSON.parse, which rounds integers above 2^53.
const indented = (json) => {
  let depth = 0
  const line = () => '\\n' + '  '.repeat(depth)
  return (json.match(tokens) ?? [])
    .map((token, at, all) => {
      switch (token) {
        case ':':
          return ': '
        case ',':
          return ',' + line()
        case '[':
        case '{':
          depth += 1
          return token + (']}'.includes(all[at + 1]) ? '' : line())
        case ']':
        case '}':
          depth -= 1
          return ('[{'.includes(all[at - 1]) ? '' : line()) + token
        default:
          return token
      }
    })
    .join('')
}

const exactAnswers = () => ({
  wrapComponents: {
    responseBody: (ResponseBody, { React }) => (props) =>
      React.createElement(
        ResponseBody,
        /json/.test(props.contentType)
          ? { ...props, content: indented(props.content), contentType: 'text/plain' }
          : props,
      ),
  },
})

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  defaultModelExpandDepth: 3,
  plugins: [exactAnswers],
  requestInterceptor: withSlashes,
})
`
