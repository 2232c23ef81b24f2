import { readFileSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { shown } from './visitorsNames.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

it('docs/take-the-packages.md shows a program that runs as it says', async () => {
  const page = textAt('../../../../docs/take-the-packages.md')
  expect(page).toContain(`\`visitorsNames.ts\`\n\n\`\`\`ts\n${textAt('./visitorsNames.ts')}\`\`\`\n`)
  expect(await shown()).toEqual([E.right(['sea & sky.jpg']), E.left(Failure.permissionDenied)])
})
