/**
 * A copy of a document that notes which of its fields are read, and the paths of those that were not. The validators for
 * Kubernetes read every field that their schema knows and ignore others; what they never read is misspelt.
 */
export function watchFields<Document extends object>(
  document: Document,
): { watched: Document; unread: () => string[] } {
  const left = new Set<string>()
  const watch = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const children = new Map(
      Object.entries(value).map(([key, child]) => {
        left.add(`${path}/${key}`)
        return [key, watch(child, `${path}/${key}`)]
      }),
    )
    return new Proxy(value, {
      get(target, key) {
        if (typeof key !== 'string' || !children.has(key)) return Reflect.get(target, key)
        left.delete(`${path}/${key}`)
        return children.get(key)
      },
    })
  }
  return { watched: watch(document, '') as Document, unread: () => [...left] }
}
