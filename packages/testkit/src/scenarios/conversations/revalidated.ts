import { headerOf } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'

/** Whether an answer has an entity tag, by which whoever has it already is told so. */
export const revalidated =
  (target: string) =>
  async (send: Send): Promise<ReadonlyArray<string>> => {
    const tag = headerOf(await send({ method: 'GET', target }), 'ETag')
    if (tag === undefined) return ['there is no ETag']
    const knowing = (value: string) =>
      send({
        method: 'GET',
        target,
        headers: [
          ['Host', 'localhost'],
          ['If-None-Match', value],
        ],
      })
    const same = await knowing(tag)
    const other = await knowing('"another"')
    return [
      ...(same.status === 304 ? [] : [`If-None-Match: ${tag} is answered by ${same.status}, not 304`]),
      ...(same.body.length === 0 ? [] : ['the 304 has a body']),
      ...(headerOf(same, 'ETag') === tag ? [] : [`the 304 has the ETag ${headerOf(same, 'ETag')}, not ${tag}`]),
      ...(other.status === 200 ? [] : [`If-None-Match: "another" is answered by ${other.status}, not 200`]),
    ]
  }
