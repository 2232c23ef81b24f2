import { join } from 'node:path'
import { type Canopy, freshCanopy } from './canopyIn.js'

interface Finding {
  readonly kind: string
  readonly account: string | null
  readonly path: string | null
  readonly trigger: string | null
  readonly message: string
  readonly note: boolean
}

export const withAccount = async (): Promise<Canopy & { readonly area: string }> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--verified')
  return { ...canopy, area: join(canopy.directory, 'data/areas/1') }
}

export const findings = async ({ json }: Canopy) => (await json('doctor')) as ReadonlyArray<Finding>
