import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Answer, Headers } from '../answer/Answer.js'
import { jsonType } from '../answer/everyAnswer.js'
import { docsInitializer } from './docsInitializer.js'
import { docsPage } from './docsPage.js'
import { documentText } from './document.js'

/** Bytes that are the same for everyone until the service is replaced. */
export interface Page {
  readonly answer: () => Promise<Answer>
}

const answerOf = (type: string, headers: Headers, bytes: Buffer): Answer => ({
  status: 200,
  headers: { ...headers, 'Content-Type': type },
  body: { is: 'bytes', bytes, nodes: 0 },
})

/** Read at the first request and kept; a failure is not. */
const ofFile = (type: string, headers: Headers, path: string): Page => {
  let answer: Answer | undefined
  return {
    answer: async () => {
      answer ??= answerOf(type, headers, await readFile(path))
      return answer
    },
  }
}

const ofText = (type: string, headers: Headers, text: string): Page => {
  const answer = answerOf(type, headers, Buffer.from(text))
  return { answer: async () => answer }
}

/** Whoever comes back asks whether it is still the same, so that no two versions of the page are mixed. */
const revalidated: Headers = { 'Cache-Control': 'public, no-cache' }

/** Nothing from elsewhere and nothing inline. The images inside Swagger UI's style sheet are data. */
const ownFilesOnly: Headers = {
  ...revalidated,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const ofSwaggerUi = (type: string, name: string): readonly [string, Page] => [
  `/docs/${name}`,
  ofFile(type, ownFilesOnly, join(swaggerUi, name)),
]

const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'
const text = 'text/plain; charset=utf-8'

/** The description of the service, for programs and for people: a closed list, by path. */
export const pages: ReadonlyMap<string, Page> = new Map([
  ['/openapi.json', ofText(jsonType, revalidated, documentText)],
  ['/docs', ofText(html, ownFilesOnly, docsPage)],
  ['/docs/initializer.js', ofText(script, ownFilesOnly, docsInitializer)],
  ofSwaggerUi(script, 'swagger-ui-bundle.js'),
  ofSwaggerUi(text, 'swagger-ui-bundle.js.LICENSE.txt'),
  ofSwaggerUi('text/css; charset=utf-8', 'swagger-ui.css'),
  ofSwaggerUi('image/png', 'favicon-32x32.png'),
])
