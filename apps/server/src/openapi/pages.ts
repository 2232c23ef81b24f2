import { type Answer, bytes, jsonType } from '../http/answers.js'
import { json } from './openapi.yaml.js'

/** The OpenAPI document, as it is served. */
export const documentText: string = json

const document: Answer = {
  status: 200,
  headers: { 'Cache-Control': 'public, no-cache', 'Content-Type': jsonType },
  body: bytes(Buffer.from(documentText)),
}

/** The description of the service for programs. */
export const documentPage = (path: string): Answer | undefined => (path === '/openapi.json' ? document : undefined)
