import { fixtureTokens, type RawResponse } from '@canopy/testkit'
import type { Ask, Asked, Misanswering } from './Mutant.js'
import { partsOf } from './targets.js'

export const withHeader = (answer: RawResponse, name: string, value: string): RawResponse => ({
  ...withoutHeader(answer, name),
  headers: [...withoutHeader(answer, name).headers, [name, value]],
})

export const withoutHeader = (answer: RawResponse, name: string): RawResponse => ({
  ...answer,
  headers: answer.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()),
})

export const withText = (answer: RawResponse, text: string): RawResponse => {
  const body = Buffer.from(text)
  return { ...withHeader(answer, 'Content-Length', `${body.length}`), body }
}

export const withStatus = (answer: RawResponse, status: number): RawResponse => ({ ...answer, status })

/** The answer to this error, as the right server would give it. */
export const failing = (answer: RawResponse, status: number, error: string): RawResponse =>
  withText(
    withoutHeader(withHeader(withStatus(answer, status), 'Cache-Control', 'no-store'), 'ETag'),
    JSON.stringify({ type: 'error', error }),
  )

/** A node of a tree, or an item of a listing. */
export interface Shown {
  readonly type?: string
  readonly is_file?: boolean
  readonly name: string
  readonly size?: number
  readonly last_modified?: number
  readonly visibility: { readonly inherited: boolean; readonly visibility: string }
  readonly content?: ReadonlyArray<Shown>
}

interface TreeBody {
  readonly type: 'tree'
  readonly content: Shown
}

interface ListingBody {
  readonly type: 'dir content'
  readonly content: ReadonlyArray<Shown>
}

type Edit<Body> = (body: Body, asked: Asked, ask: Ask) => object | Promise<object>

/** A mutant of the successful answers of this type: changes the JSON of each. */
const editing =
  <Body extends { readonly type: string }>(type: Body['type'], edit: Edit<Body>, when: (asked: Asked) => boolean) =>
  async (answer: RawResponse, asked: Asked, ask: Ask): Promise<RawResponse> => {
    if (answer.status !== 200 || asked.method !== 'GET' || !when(asked)) return answer
    const body: Body = JSON.parse(answer.body.toString())
    return body.type === type ? withText(answer, JSON.stringify(await edit(body, asked, ask))) : answer
  }

export const editingTrees = (edit: Edit<TreeBody>, when: (asked: Asked) => boolean = () => true): Misanswering =>
  editing('tree', edit, when)

const editingListings = (edit: Edit<ListingBody>, when: (asked: Asked) => boolean = () => true): Misanswering =>
  editing('dir content', edit, when)

export const treeIn = ({ body }: RawResponse): TreeBody => JSON.parse(body.toString())

/** Changes every node of a tree, from the leaves up; `undefined` leaves one out. */
export const inTree = (node: Shown, change: (node: Shown) => object | undefined): object | undefined =>
  change(
    node.content === undefined
      ? node
      : {
          ...node,
          content: node.content
            .map((child) => inTree(child, change))
            .filter((child) => child !== undefined) as ReadonlyArray<Shown>,
        },
  )

/** Changes every node of a tree and every item of a listing. */
export const everyNode =
  (change: (node: Shown) => object): Misanswering =>
  async (answer, asked, ask) =>
    editingListings((body) => ({ ...body, content: body.content.map(change) }))(
      await editingTrees((body) => ({ ...body, content: inTree(body.content, change) }))(answer, asked, ask),
      asked,
      ask,
    )

/** The same question, asked by the owner of the fixture's first account. */
export const askedByOwner = (target: string): string => {
  const parts = partsOf(target)
  return parts === undefined
    ? target
    : `${parts.route.replace('usercontent', 'storage').replace('id/', '')}${fixtureTokens.owner}${parts.path}${parts.query}`
}

export const errorOf = ({ body }: RawResponse): string => /"error":"([^"]*)"/.exec(body.toString())?.[1] ?? ''
