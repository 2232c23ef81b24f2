import { randomBytes } from 'node:crypto'

/** Of each class: so that no single page of the database or of a directory decides. */
const members = 64
const each = (make) => Array.from({ length: members }, (_, index) => make(index))

const newToken = () => `cnp_${randomBytes(32).toString('base64url')}`
const padded = (index) => String(index).padStart(3, '0')
const file = (name) => ({ type: 'file', name, size: 1n, last_modified: 1n })

const revoked = each(newToken)
const unknown = each(newToken)

/**
 * The ids of accounts interleave with those of nobody, of whom each pair has its own: who is asked for more often is nearer
 * at hand, and sooner answered.
 */
const privateId = (index) => `${1000 + 2 * index}`
const settledId = (index) => `${2000 + 2 * index}`
const unverifiedId = (index) => `${3000 + 2 * index}`
const unknownBeside = (idOf) => (index) => `${Number(idOf(index)) + 1}`

const account = (id, more) => ({ id, verified: true, tokens: [], settings: [], area: [], ...more })

/** What a private account sets when it is put to use: still nobody gets to its root. */
const manySettings = each((index) => ({ path: `/shared ${index}`, visibility: 'public' }))

export const world = {
  accounts: [
    account('1', {
      tokens: revoked.map((token) => ({ token, scope: '/', state: 'revoked' })),
      settings: [
        { path: '/', visibility: 'public' },
        { path: '/private', visibility: 'private' },
      ],
      area: [
        { type: 'dir', name: 'private', last_modified: 1n, content: each((index) => file(`there${padded(index)}`)) },
      ],
    }),
    ...each((index) => account(privateId(index))),
    ...each((index) => account(settledId(index), { settings: manySettings })),
    ...each((index) =>
      account(unverifiedId(index), { verified: false, settings: [{ path: '/', visibility: 'public' }] }),
    ),
  ],
  triggers: [],
}

const byToken = (token) => `/api/storage/v1/tree/${token}`
const below = (name) => `/api/usercontent/v1/tree/id/1/private/${name}`
const byUser = (id) => `/api/usercontent/v1/tree/id/${id}`

/** Targets that are answered alike, and must not be told apart by time either. */
export const pairs = [
  { name: 'unknown v revoked token', classes: [unknown.map(byToken), revoked.map(byToken)] },
  {
    name: 'missing v existing name below a private directory',
    classes: [each((index) => below(`nowhe${padded(index)}`)), each((index) => below(`there${padded(index)}`))],
  },
  {
    name: 'unknown v private account',
    classes: [each(unknownBeside(privateId)).map(byUser), each(privateId).map(byUser)],
  },
  {
    name: `unknown v private account of ${members} settings`,
    classes: [each(unknownBeside(settledId)).map(byUser), each(settledId).map(byUser)],
  },
  {
    name: 'unknown v unverified account with a public root',
    classes: [each(unknownBeside(unverifiedId)).map(byUser), each(unverifiedId).map(byUser)],
  },
]
