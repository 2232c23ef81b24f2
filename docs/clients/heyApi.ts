import { stringify } from 'lossless-json'
import { exact, nextOf } from './exact.js'
import { client } from './heyApi/client.gen.js'
import { type DirContentEnvelope, userContentDirItems } from './heyApi/index.js'

client.setConfig({ baseUrl: 'http://localhost:8080', parseAs: 'text' })
let after: string | undefined
do {
  const { data, error, response } = await userContentDirItems({
    path: { userid: '1', path: 'photos/50% off #1/Übersicht 日本' },
    query: { limit: 2, after },
  })
  if (data === undefined || response === undefined) throw new Error(error?.error)
  const { content } = exact<DirContentEnvelope>(String(data))
  for (const item of content) console.log(stringify(item))
  after = nextOf(response)
} while (after !== undefined)
