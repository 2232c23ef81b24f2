import * as O from 'fp-ts/lib/Option.js'
import { headerOf, type RawRequest, type RawResponse } from '../doors/rawHttp.js'
import { answerKind } from './answerKind.js'
import type { RawDoor } from './RawDoor.js'
import { conditional, type Visit } from './Visit.js'
import type { WorldPair } from './worldPair.js'

/** A request by which a visitor tells two worlds apart. */
export interface ToldApart {
  readonly worlds: WorldPair
  readonly request: RawRequest
  /** Each as JSON: status, headers, body as Latin-1, whether it was complete. */
  readonly answers: readonly [string, string]
}

export interface Compared {
  /** What sort of answer each request had in the first world. */
  readonly kinds: ReadonlyArray<string>
  readonly toldApart: O.Option<ToldApart>
}

/** All of an answer but the time of day. */
const bytesOf = ({ status, headers, body, complete }: RawResponse): string =>
  JSON.stringify([status, headers.filter(([name]) => name.toLowerCase() !== 'date'), body.toString('latin1'), complete])

const kindOf = ({ method }: RawRequest, response: RawResponse): string => {
  const { status, body } = response
  if (method === 'HEAD') return `${status} to HEAD`
  if (headerOf(response, 'Content-Encoding') !== undefined) return `${status} compressed`
  const text = body.toString()
  return status === 200 ? answerKind({ body: text }) : `${status} ${/"error":"([^"]*)"/.exec(text)?.[1] ?? ''}`.trim()
}

/** Puts the same requests to both worlds, conditional ones with the entity tags of the first. */
export const compareWorlds = async (
  { open }: RawDoor,
  worlds: WorldPair,
  visits: ReadonlyArray<Visit>,
): Promise<Compared> => {
  const first = visits.map(({ request }) => request)
  const one = await open(worlds[0])
  const answers = await one.send(first)
  const second = conditional(visits, answers)
  const ofOne = [...answers, ...(await one.send(second))]
  await one.close()
  const other = await open(worlds[1])
  const ofOther = [...(await other.send(first)), ...(await other.send(second))]
  await other.close()
  const asked = [...first, ...second].flatMap((request, index) => {
    const [left, right] = [ofOne[index], ofOther[index]]
    return left === undefined || right === undefined
      ? []
      : [{ worlds, request, kind: kindOf(request, left), answers: [bytesOf(left), bytesOf(right)] as const }]
  })
  const toldApart = asked.find(({ answers: [left, right] }) => left !== right)
  return { kinds: asked.map(({ kind }) => kind), toldApart: O.fromNullable(toldApart) }
}
