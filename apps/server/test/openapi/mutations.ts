type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wrongNames = ['..', 'a/b', 'a\0b', 'x'.repeat(256)]

const wrongTexts = (fields: Fields, name: string): ReadonlyArray<string> =>
  name !== 'name' ? ['another'] : fields['type'] === 'dir' ? wrongNames : ['', ...wrongNames]

/** What a field may not be, judged by its name and by what it is: a text, a boolean, a list, an object, or a number. */
const wrongValues = (fields: Fields, name: string): ReadonlyArray<unknown> => {
  const value = fields[name]
  if (typeof value === 'string') return [5, true, null, [], {}, ...wrongTexts(fields, name)]
  if (typeof value === 'boolean') return ['true', 0, null, [], {}]
  if (typeof value === 'object') return Array.isArray(value) ? [{}, null, 'x', 5] : [[], null, 'x', 5, {}]
  return ['5', -1, 1.5, 2n ** 64n, true, null, [], {}]
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name))

/** What a trigger holds is free, but for its type. */
const spoiltTriggers = (value: Fields): ReadonlyArray<Fields> => [
  without(value, 'type'),
  ...[5, true, null, [], {}].map((wrong) => ({ ...value, type: wrong })),
]

const spoiltFields = (value: Fields): ReadonlyArray<Fields> =>
  Object.entries(value).flatMap(([name, field]) => [
    ...(name === 'content' && value['type'] === 'dir' ? [] : [without(value, name)]),
    ...wrongValues(value, name).map((wrong) => ({ ...value, [name]: wrong })),
    ...(value['type'] === 'trigger peak' && isFields(field) ? spoiltTriggers(field) : mutations(field)).map(
      (spoilt) => ({ ...value, [name]: spoilt }),
    ),
  ])

/** Every way to spoil one field of an answer, at any depth: to take it away, or to make it something it may not be. */
export const mutations = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value)
    ? value.flatMap((each, at) =>
        mutations(each).map((spoilt) => [...value.slice(0, at), spoilt, ...value.slice(at + 1)]),
      )
    : isFields(value)
      ? spoiltFields(value)
      : []
