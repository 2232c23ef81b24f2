/** What the page at `/docs` runs. */
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

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

// While the document is a value, the integers that a number may round stand in it as marked text.
const marked = (json) => json.replace(tokens, (token) => (/^-?\\d{16,}$/.test(token) ? '"integer ' + token + '"' : token))
const unmarked = (json) => json.replace(/"integer (-?\\d+)"/g, '$1')

const asText = (example) => ({ ...example, value: unmarked(JSON.stringify(example.value, null, 2)) })

const withExamplesAsText = (json) =>
  unmarked(
    JSON.stringify(
      JSON.parse(marked(json), (name, value) => (name === 'examples' ? mapValues(value, asText) : value)),
    ),
  )

const exactDocument = () => {
  // A bound of a schema must be a number for Swagger UI; by its rounded form, what the document says.
  const bounds = new Map()
  return {
    // Swagger UI would read an example that is text as JSON, and round it after all.
    afterLoad() {
      const { getSampleSchema } = this.fn
      this.fn.getSampleSchema = (schema, type, config, example) =>
        typeof example === 'string' ? example : getSampleSchema(schema, type, config, example)
    },
    statePlugins: {
      spec: {
        wrapActions: {
          parseToJson: (parse) => (json) => {
            const shown = withExamplesAsText(json)
            for (const token of shown.match(tokens) ?? [])
              if (/^-?\\d{16,}$/.test(token)) bounds.set(String(Number(token)), token)
            return parse(shown)
          },
        },
      },
    },
    wrapComponents: {
      JSONSchema202012KeywordConstraint: (Constraint, { React }) => ({ constraint }) =>
        React.createElement(Constraint, {
          constraint: {
            ...constraint,
            value: constraint.value.replace(/-?\\d{16,}/g, (rounded) => bounds.get(rounded) ?? rounded),
          },
        }),
    },
  }
}

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  defaultModelExpandDepth: 3,
  plugins: [exactAnswers, exactDocument],
  requestInterceptor: withSlashes,
})
`
