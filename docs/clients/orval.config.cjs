module.exports = {
  canopy: {
    input: 'http://localhost:8080/openapi.json',
    output: { target: 'orval.gen.ts', client: 'fetch', override: { mutator: { path: './ask.ts', name: 'ask' } } },
  },
}
