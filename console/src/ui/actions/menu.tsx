import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Header } from 'react-aria-components/Header'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps as AriaMenuItemProps,
  MenuSection as AriaMenuSection,
  MenuTrigger,
} from 'react-aria-components/Menu'
import { Separator } from 'react-aria-components/Separator'
import { classNames } from '../class-names.ts'
import { optionClass, Popover, type PopoverPlacement } from '../overlays/popover.tsx'

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  /** The name of the menu, for screen readers. */
  label: string
  children: ReactNode
  placement?: PopoverPlacement
}

export function Menu({ trigger, label, children, placement = 'bottom start' }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover placement={placement} isBare>
        <AriaMenu aria-label={label} className="max-h-[inherit] min-w-44 overflow-auto p-1 outline-none">
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

interface MenuItemProps extends Pick<AriaMenuItemProps, 'id' | 'href' | 'onAction' | 'isDisabled' | 'target' | 'rel'> {
  children: ReactNode
  icon?: ReactNode
  /** Said after the text, such as a shortcut. */
  hint?: ReactNode
  isDanger?: boolean
}

export function MenuItem({ children, icon, hint, isDanger, ...props }: MenuItemProps) {
  return (
    <AriaMenuItem
      {...props}
      {...(typeof children === 'string' && { textValue: children })}
      className={classNames(optionClass, isDanger && 'text-danger-text')}
    >
      {({ isSelected, selectionMode }) => (
        <>
          {selectionMode !== 'none' && <Check aria-hidden className={isSelected ? '' : 'invisible'} />}
          {icon}
          <span className="flex-1 truncate">{children}</span>
          {hint && <span className="text-muted text-xs">{hint}</span>}
        </>
      )}
    </AriaMenuItem>
  )
}

interface MenuSectionProps {
  title?: string
  children: ReactNode
  /** For sections of which one or several are chosen. */
  selection?: { mode: 'single' | 'multiple'; selected: string[]; onChange: (selected: string[]) => void }
  'aria-label'?: string
}

export function MenuSection({ title, children, selection, ...props }: MenuSectionProps) {
  return (
    <AriaMenuSection
      {...props}
      {...(selection && {
        selectionMode: selection.mode,
        selectedKeys: selection.selected,
        disallowEmptySelection: selection.mode === 'single',
        onSelectionChange: (keys) => selection.onChange(keys === 'all' ? [] : [...keys].map(String)),
      })}
    >
      {title && <Header className="px-2 pt-2 pb-1 text-muted text-xs">{title}</Header>}
      {children}
    </AriaMenuSection>
  )
}

export function MenuSeparator() {
  return <Separator className="-mx-1 my-1 border-line border-t" />
}
