import type { ReactNode } from 'react'
import { Link } from 'react-aria-components/Link'
import { Tab as AriaTab, Tabs as AriaTabs, TabList, TabPanel } from 'react-aria-components/Tabs'
import { classNames } from '../class-names.ts'

const listClass = 'mb-4 flex gap-1 overflow-x-auto border-line border-b'
const tabClass =
  'cursor-default border-b-2 px-3 py-2 whitespace-nowrap -outline-offset-2 hover:text-text ' +
  'border-transparent text-muted data-selected:border-accent-text data-selected:font-medium data-selected:text-text ' +
  'aria-[current=page]:border-accent-text aria-[current=page]:font-medium aria-[current=page]:text-text'

interface TabsProps {
  /** The name of the row of tabs. */
  label: string
  tabs: readonly { id: string; label: string; content: ReactNode }[]
  selected: string
  onChange: (id: string) => void
}

/** Tabs within one page; the arrow keys change them. Keep the selected one in the URL. */
export function Tabs({ label, tabs, selected, onChange }: TabsProps) {
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(key) => onChange(String(key))}>
      <TabList aria-label={label} className={listClass}>
        {tabs.map((tab) => (
          <AriaTab key={tab.id} id={tab.id} className={tabClass}>
            {tab.label}
          </AriaTab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="outline-offset-4">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}

interface LinkTabsProps {
  label: string
  tabs: readonly { href: string; label: string }[]
  /** The path that is shown now. */
  current: string
}

/** Links between pages that belong together, with the look of tabs. */
export function LinkTabs({ label, tabs, current }: LinkTabsProps) {
  return (
    <nav aria-label={label} className={listClass}>
      {tabs.map(({ href, label: name }) => (
        <Link
          key={href}
          href={href}
          aria-current={current === href || current.startsWith(`${href}/`) ? 'page' : undefined}
          className={classNames('-mb-px', tabClass)}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
