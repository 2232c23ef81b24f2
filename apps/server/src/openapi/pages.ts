import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Answer, type Headers, jsonType } from '../http/answers.js'
import { json } from './openapi.yaml.js'

/** The OpenAPI document, as it is served. */
export const documentText: string = json

/** Swagger UI, with the document. All addresses are relative, because the service may be behind a path prefix. */
const html = `<!doctype html>
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

const initializer = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', validatorUrl: null, deepLinking: true })
`

/** A client asks each time whether its copy is the latest, so that it never mixes two versions of the page. */
const revalidated: Headers = { 'Cache-Control': 'public, no-cache' }

/** Nothing from elsewhere and nothing inline. The images in Swagger UI's style sheet are data. */
const ownFilesOnly: Headers = {
  ...revalidated,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

const answer = (type: string, headers: Headers, bytes: Buffer): Answer => ({
  status: 200,
  headers: { ...headers, 'Content-Type': type },
  body: { is: 'bytes', bytes, nodes: 0 },
})

type Page = () => Promise<Answer>

const ofText = (type: string, headers: Headers, text: string): Page => {
  const answered = answer(type, headers, Buffer.from(text))
  return async () => answered
}

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const ofSwaggerUi = (type: string, name: string): readonly [string, Page] => [
  `/docs/${name}`,
  async () => answer(type, ownFilesOnly, await readFile(join(swaggerUi, name))),
]

const script = 'text/javascript; charset=utf-8'

/** A closed list, by path. */
const pages: ReadonlyMap<string, Page> = new Map([
  ['/openapi.json', ofText(jsonType, revalidated, documentText)],
  ['/docs', ofText('text/html; charset=utf-8', ownFilesOnly, html)],
  ['/docs/initializer.js', ofText(script, ownFilesOnly, initializer)],
  ofSwaggerUi(script, 'swagger-ui-bundle.js'),
  ofSwaggerUi('text/plain; charset=utf-8', 'swagger-ui-bundle.js.LICENSE.txt'),
  ofSwaggerUi('text/css; charset=utf-8', 'swagger-ui.css'),
  ofSwaggerUi('image/png', 'favicon-32x32.png'),
])

/** The description of the service: `/openapi.json` for programs, `/docs` for people. */
export const documentPage = (path: string): Promise<Answer> | undefined => pages.get(path)?.()
