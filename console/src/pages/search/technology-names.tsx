import type { Taxonomy } from '#lib/filters/taxonomy.ts'

const namedAtMost = 2

interface TechnologyNamesProps {
  taxonomy: Taxonomy
  list: 'apps' | 'pixels'
  values: readonly string[]
}

/** The first few by name, and how many more; all of them when pointed at. */
export function TechnologyNames({ taxonomy, list, values }: TechnologyNamesProps) {
  const labels = values.map((value) => taxonomy.label(list, value))
  const more = labels.length - namedAtMost
  return (
    <span title={more > 0 ? labels.join(', ') : undefined}>
      <bdi>{labels.slice(0, namedAtMost).join(', ')}</bdi>
      {more > 0 && <span className="text-muted"> +{more}</span>}
    </span>
  )
}
