import type { Store } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { groupTechnologies } from '#lib/technologies.ts'
import { Badge } from '#ui/data/badge.tsx'

interface StoreTechnologiesProps {
  technologies: Store['technologies']
  taxonomy: Taxonomy
}

/** What the shop is built with, by purpose. */
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
