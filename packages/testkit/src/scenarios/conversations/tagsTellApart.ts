import { headerOf } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'

/** Whether no two of these targets, whose answers differ, have the same entity tag. */
export const tagsTellApart =
  (targets: ReadonlyArray<string>) =>
  async (send: Send): Promise<ReadonlyArray<string>> => {
    const taken = new Map<string | undefined, string>()
    const violations: Array<string> = []
    for (const target of targets) {
      const tag = headerOf(await send({ method: 'GET', target }), 'ETag')
      const other = taken.get(tag)
      if (other !== undefined) violations.push(`GET ${target} has the ETag ${tag}, as GET ${other} has`)
      taken.set(tag, target)
    }
    return violations
  }
