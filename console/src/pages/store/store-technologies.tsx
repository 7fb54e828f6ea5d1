import type { StorePage } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { Badge } from '#ui/data/badge.tsx'

interface StoreTechnologiesProps {
  technologies: StorePage['technologies']
  taxonomy: Taxonomy
}

/** The technologies of a shop, by purpose. */
export function StoreTechnologies({ technologies, taxonomy }: StoreTechnologiesProps) {
  const groups = groupTechnologies(taxonomy, technologies)
  const { theme } = technologies
  return (
    <section aria-labelledby="technologies">
      <h2 id="technologies" className="mb-2 font-semibold text-lg">
        Technologies
      </h2>
      <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
        {(theme.name || theme.type) && (
          <Row name="Theme">
            <bdi className="wrap-anywhere">{theme.name}</bdi>{' '}
            {theme.type && <Badge>{taxonomy.label('theme_types', theme.type)}</Badge>}
          </Row>
        )}
        {groups.map(({ name, labels }) => (
          <Row key={name} name={name}>
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {labels.map((label) => (
                <li key={label} className="wrap-anywhere">
                  {label}
                </li>
              ))}
            </ul>
          </Row>
        ))}
        {groups.length === 0 && !theme.name && !theme.type && (
          <Row name="Apps and pixels">
            <span className="text-muted">None known</span>
          </Row>
        )}
      </dl>
    </section>
  )
}

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col gap-x-4 px-4 py-2 sm:flex-row">
      <dt className="w-44 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  )
}

interface TechnologyGroup {
  name: string
  labels: string[]
}

const lists = ['apps', 'pixels'] as const

/** Apps and pixels by what they are for; those without a purpose come last. Each label once in a group. */
function groupTechnologies(
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
