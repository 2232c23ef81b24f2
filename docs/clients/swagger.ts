import { stringify } from 'lossless-json'
import { exact, nextOf } from './exact.js'
import { Api, type DirContentEnvelope } from './swagger/api.js'

const { api } = new Api({ baseUrl: 'http://localhost:8080' })
const path = encodeURIComponent('photos/50% off #1/Übersicht 日本')
let after: string | undefined
do {
  const answer = await api.userContentDirItems('1', path, { limit: 2, after }, { format: 'text' })
  const { content } = exact<DirContentEnvelope>(String(answer.data))
  for (const item of content) console.log(stringify(item))
  after = nextOf(answer)
} while (after !== undefined)
