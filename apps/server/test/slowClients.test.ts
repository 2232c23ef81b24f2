import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runs } from '@canopy/test-support'
import { describe } from 'vitest'
import { slowWorld, testSlowClients } from './slowClients.js'
import { seedData, serverOver } from './startServer.js'

describe('over a disk and SQLite', () => {
  const over = serverOver((data) => seedData(data, slowWorld))

  testSlowClients(runs(10, 20), () => ({
    variables: { CANOPY_DATA: over.data },
    servers: [over.server],
    addFile: (path) => writeFile(join(over.data, 'areas/1', path), ''),
  }))
})
