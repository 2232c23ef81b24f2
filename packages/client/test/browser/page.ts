// What a page of another origin does with the client. Answers leave the page as text, so that no digit is lost.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Input, items, client as typedClient } from '../../src/index.js'
import { client } from '../../src/promise/index.js'

const text = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}n` : field))

const told = (promise: Promise<unknown>): Promise<string> =>
  promise.then(text, (reason) => text({ ...reason, message: reason.message }))

const fromTexts = (baseUrl: string, token: string, path: string) =>
  pipe(
    E.Do,
    E.bind('baseUrl', () => Input.baseUrl(baseUrl)),
    E.bind('token', () => Input.accessToken(token)),
    E.bind('path', () => Input.storagePath(path)),
  )

export interface Page {
  readonly operation: (baseUrl: string, name: string, request: unknown, call?: object) => Promise<string>
  readonly listed: (baseUrl: string, token: string, limit: number) => Promise<string>
  readonly typedNames: (baseUrl: string, token: string) => Promise<string>
  readonly unfound: (baseUrl: string, token: string, names: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  readonly aborted: (baseUrl: string, token: string) => Promise<string>
}

const page: Page = {
  operation: (baseUrl, name, request, call) => {
    // Which operation, and with which request, is known to the test outside alone.
    const operations = client({ baseUrl, retries: 0 }) as unknown as Readonly<
      Record<string, (request: unknown, call?: object) => Promise<unknown>>
    >
    return told(operations[name]?.(request, call) ?? Promise.resolve('no such operation'))
  },
  listed: async (baseUrl, token, limit) => {
    const names: Array<string> = []
    const pages: Array<number> = []
    for await (const each of client({ baseUrl }).storagePages({ token, path: '/', limit }))
      pages.push(each.items.length)
    for await (const { name } of client({ baseUrl }).storageItems({ token, path: '/', limit })) names.push(name)
    return text({ names, pages })
  },
  typedNames: async (baseUrl, token) => {
    const all = pipe(
      TE.fromEither(fromTexts(baseUrl, token, '/')),
      TE.map((to) => items(typedClient({ baseUrl: to.baseUrl }).storageDirItems({ ...to, limit: 2 }))),
    )
    const names: Array<unknown> = []
    const source = await all()
    if (E.isRight(source)) for await (const item of source.right) names.push(E.isRight(item) ? item.right.name : item)
    return text(names)
  },
  unfound: async (baseUrl, token, names) => {
    const canopy = client({ baseUrl, retries: 0 })
    const found = await Promise.all(
      names.map((name) => canopy.storageTree({ token, path: `/${name}` }).then((node) => node.name, String)),
    )
    return names.filter((name, index) => found[index] !== name)
  },
  aborted: (baseUrl, token) => {
    const controller = new AbortController()
    const call = told(client({ baseUrl }).storageTree({ token, path: '/' }, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 50)
    return call
  },
}

Object.assign(globalThis, { page })
