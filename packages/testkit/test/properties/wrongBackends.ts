import { type Backend, coreBackend } from '../../src/backends/Backend.js'
import { memoryPorts, type World, type WorldNode, type WorldSetting } from '../../src/World.js'

const close = async (): Promise<void> => undefined

export const memory = coreBackend('the domain over memory', true, async (world) => ({
  ports: memoryPorts(world),
  close,
}))

/** Answers about another world than the one that it was given. */
const mistaking = (change: (account: World['accounts'][number]) => World['accounts'][number]): Backend => ({
  ...memory,
  open: (world) => memory.open({ ...world, accounts: world.accounts.map(change) }),
})

const shown = (setting: WorldSetting): WorldSetting =>
  setting.visibility === 'hidden' ? { ...setting, visibility: 'public' } : setting

/** Takes hidden for public. */
export const takesHiddenForPublic = mistaking((account) => ({ ...account, settings: account.settings.map(shown) }))

const rounded = (node: WorldNode): WorldNode => {
  if (node.type === 'dir') return { ...node, content: node.content.map(rounded) }
  return node.type === 'file' ? { ...node, size: BigInt(Number(node.size)) } : node
}

/** Its sizes go through a double. */
export const roundsSizes = mistaking((account) => ({
  ...account,
  area: account.area === 'missing' ? account.area : account.area.map(rounded),
}))

export const silent: Backend = {
  ...memory,
  open: async () => ({ ask: async () => Promise.reject(new Error('no one there')), close }),
}
