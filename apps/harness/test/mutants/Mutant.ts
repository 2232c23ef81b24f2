import { fixtureTokens, type Ports, type RawResponse, type World } from '@canopy/testkit'

/** A server with one fault. Each field spoils another part of it. */
export interface Mutant {
  readonly name: string
  /** A failing check. */
  readonly caughtBy: string
  readonly world?: (world: World) => World
  readonly ports?: (ports: Ports, world: World) => Ports
  readonly asked?: (asked: Asked) => Asked
  readonly answered?: Misanswering
}

export type Misanswering = (answer: RawResponse, asked: Asked, ask: Ask) => RawResponse | Promise<RawResponse>

export interface Asked {
  readonly method: string
  readonly target: string
}

/** Sends another GET to the correct server. */
export type Ask = (target: string) => Promise<RawResponse>

type Parts = Readonly<Record<'route' | 'credential' | 'path' | 'query', string>>

const operation =
  /^(\/api\/storage\/v1\/(?:tree|diritems)\/|\/api\/usercontent\/v1\/(?:tree|diritems)\/id\/|\/api\/triggers\/v1\/peek\/)([^/?]+)([^?]*)(.*)$/

const changed = (target: string, change: (parts: Parts) => Partial<Parts>): string =>
  target.replace(operation, (_, ...[route, credential, path, query]: ReadonlyArray<string>) => {
    const parts = { route: route ?? '', credential: credential ?? '', path: path ?? '', query: query ?? '' }
    const to = { ...parts, ...change(parts) }
    return `${to.route}${to.credential}${to.path}${to.query}`
  })

export const readingPath =
  (change: (path: string) => string) =>
  (asked: Asked): Asked => ({ ...asked, target: changed(asked.target, ({ path }) => ({ path: change(path) })) })

export const isVisitors = ({ target }: Asked): boolean => target.startsWith('/api/usercontent/v1/')
export const isOwners = ({ target }: Asked): boolean => target.startsWith('/api/storage/v1/')
export const isPeek = ({ target }: Asked): boolean => target.startsWith('/api/triggers/v1/peek/')

/** The same request by the owner of the first account. */
export const askedByOwner = (target: string): string =>
  changed(target, ({ route }) => ({
    route: route.replace('usercontent', 'storage').replace('id/', ''),
    credential: fixtureTokens.owner,
  }))

export const withoutHeader = (answer: RawResponse, name: string): RawResponse => ({
  ...answer,
  headers: answer.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()),
})

export const withHeader = (answer: RawResponse, name: string, value: string): RawResponse => ({
  ...answer,
  headers: [...withoutHeader(answer, name).headers, [name, value]],
})

export const withText = (answer: RawResponse, text: string): RawResponse => {
  const body = Buffer.from(text)
  return { ...withHeader(answer, 'Content-Length', `${body.length}`), body }
}

export const withStatus = (answer: RawResponse, status: number): RawResponse => ({ ...answer, status })

export interface Shown {
  readonly type?: string
  readonly name: string
  readonly visibility: { readonly inherited: boolean; readonly visibility: string }
  readonly content?: ReadonlyArray<Shown>
}

/** Replaces a node or an item; an empty array removes it. */
type Change = (node: Shown) => ReadonlyArray<object>

const everyIn = (node: Shown, change: Change): ReadonlyArray<object> =>
  change(
    node.content === undefined
      ? node
      : { ...node, content: node.content.flatMap((child) => everyIn(child, change) as ReadonlyArray<Shown>) },
  )

/** Changes every node of a tree, from the leaves up, and every item of a listing. */
export const everyNode =
  (change: Change): Misanswering =>
  (answer, asked) => {
    if (answer.status !== 200 || asked.method !== 'GET' || isPeek(asked)) return answer
    const { type, content } = JSON.parse(answer.body.toString())
    const [whole] = type === 'tree' ? everyIn(content, change) : [content.flatMap(change)]
    return withText(answer, JSON.stringify({ type, content: whole ?? content }))
  }
