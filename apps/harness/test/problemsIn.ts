import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { validateXML } from 'xmllint-wasm'

const textAt = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

export const problemsIn = {
  junit: async (report: string): Promise<ReadonlyArray<string>> => {
    const schema = await textAt('./junit.xsd')
    const { errors } = await validateXML({ xml: [{ fileName: 'report.xml', contents: report }], schema: [schema] })
    return errors.map(({ message }) => message)
  },
  json: async (report: string): Promise<ReadonlyArray<unknown>> => {
    const validate = new Ajv().compile(JSON.parse(await textAt('../../../docs/report.schema.json')))
    validate(JSON.parse(report))
    return validate.errors ?? []
  },
}
