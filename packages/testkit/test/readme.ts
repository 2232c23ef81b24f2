import { coreBackend, memoryPorts, scenarios } from '@canopy/testkit'

/** Put your own ports in place of these: `seed` makes a fresh copy of a world each time. */
const backend = coreBackend('memory', true, async (world) => ({
  ports: memoryPorts(world),
  close: async () => undefined,
}))

/** The names of the scenarios that the backend answers otherwise than the interface says. */
export const wrongAnswers = async () => {
  const wrong: Array<string> = []
  for (const { name, world, ask, answer } of scenarios) {
    const opened = await backend.open(world)
    if (JSON.stringify(await opened.ask(ask)) !== JSON.stringify(answer)) wrong.push(name)
    await opened.close()
  }
  return wrong
}
