import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expireAll, freshCanopy } from '../canopyIn.js'
import { findings, withAccount } from '../doctorIn.js'

describe('canopy doctor', () => {
  it('finds expired tokens', async () => {
    const canopy = await withAccount()
    const { tokenId } = (await canopy.json('token', 'issue', '1', '--expires', '30d')) as { tokenId: string }
    canopy.byHand(expireAll('tokens'))
    expect(await findings(canopy)).toEqual([
      {
        kind: 'expired token',
        account: '1',
        path: null,
        message: `token ${tokenId} opens nothing any more: \`canopy token revoke ${tokenId}\` forgets it`,
        trigger: null,
        note: false,
      },
    ])
  })

  it('notes the scope of a token where no node exists, which needs no attention', async () => {
    const canopy = await withAccount()
    const { tokenId } = (await canopy.json('token', 'issue', '1', '--scope', '/phtos')) as { tokenId: string }
    expect(await findings(canopy)).toEqual([
      {
        kind: 'orphan scope',
        account: '1',
        path: '/phtos',
        message: `the scope of token ${tokenId}, but no node exists there: make the node, or \`canopy token revoke ${tokenId}\``,
        trigger: null,
        note: true,
      },
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
    await mkdir(join(canopy.area, 'phtos'))
    expect(await findings(canopy)).toEqual([])
  })

  it('finds triggers that have expired, and those that another program broke', async () => {
    const canopy = await freshCanopy()
    await mkdir(join(canopy.directory, 'data/areas'), { recursive: true })
    await canopy.run('trigger', 'create', '--type', 'copy', '--id', '-old')
    canopy.byHand(expireAll('triggers'))
    for (const id of ['fine', 'broken']) await canopy.run('trigger', 'create', '--type', 'copy', '--id', id)
    canopy.byHand(`update triggers set value = 's3cret' where id = 'broken'`)
    const found = (kind: string, trigger: string, message: unknown) => ({
      kind,
      account: null,
      path: null,
      trigger,
      message,
      note: false,
    })
    const expired = 'it is not found any more: `canopy trigger delete -- -old` forgets it'
    expect(await findings(canopy)).toEqual([
      found('expired trigger', '-old', expired),
      found('broken trigger', 'broken', expect.stringContaining('`canopy trigger delete broken`')),
    ])
    const { stdout, exit } = await canopy.run('doctor')
    expect([stdout.split('\n'), exit]).toEqual([
      [
        `trigger -old: expired trigger: ${expired}`,
        expect.stringMatching(/^trigger broken: broken trigger: /),
        '',
        'Findings: 2. Accounts looked at: 0; triggers: 3.',
        '',
      ],
      1,
    ])
  })
})
