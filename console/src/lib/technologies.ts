import type { Taxonomy } from './filters/taxonomy.ts'

interface TechnologyGroup {
  name: string
  labels: string[]
}

const lists = ['apps', 'pixels'] as const

/** Apps and pixels by what they are for; those without a purpose come last. Each label once in a group. */
export function groupTechnologies(
  taxonomy: Taxonomy,
  technologies: Record<(typeof lists)[number], readonly string[]>,
): TechnologyGroup[] {
  const groups = new Map<string, Set<string>>()
  for (const list of lists)
    for (const value of technologies[list]) {
      const name = purposeOf(taxonomy.find(list, value)?.category)
      groups.set(name, (groups.get(name) ?? new Set()).add(taxonomy.label(list, value)))
    }
  return [...groups]
    .map(([name, labels]) => ({ name, labels: [...labels].sort((a, b) => a.localeCompare(b)) }))
    .sort((a, b) => Number(a.name === others) - Number(b.name === others) || a.name.localeCompare(b.name))
}

const others = 'Others'

/** `email_marketing` becomes Email marketing. */
function purposeOf(category: string | null | undefined): string {
  if (!category) return others
  const words = category.replaceAll(/[_-]+/g, ' ').trim()
  return words === '' ? others : words[0]!.toUpperCase() + words.slice(1)
}
