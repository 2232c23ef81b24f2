import { stringify } from 'lossless-json'
import createClient from 'openapi-fetch'
import type { components, paths } from './canopy.js'
import { exact, nextOf } from './exact.js'

const canopy = createClient<paths>({ baseUrl: 'http://localhost:8080' })
let after: string | undefined
do {
  const { data, error, response } = await canopy.GET('/api/usercontent/v1/diritems/id/{userid}/{path}', {
    params: { path: { userid: '1', path: 'photos/50% off #1/Übersicht 日本' }, query: { limit: 2, after } },
    parseAs: 'text',
  })
  if (error !== undefined) throw new Error(error.error)
  const { content } = exact<components['schemas']['DirContentEnvelope']>(data)
  for (const item of content) console.log(stringify(item))
  after = nextOf(response)
} while (after !== undefined)
