import {
  BookOpen,
  Building2,
  ChartNoAxesColumn,
  CreditCard,
  Eye,
  FileDown,
  KeyRound,
  ListChecks,
  Settings,
  ShieldCheck,
  Users,
} from 'lucide-react'

/** The navigation, in this order; the palette offers the same pages. */
export const navigation = [
  { to: '/stores', label: 'Stores', icon: Building2 },
  { to: '/people', label: 'People', icon: Users },
  { to: '/revealed', label: 'Revealed', icon: Eye },
  { to: '/lists', label: 'Lists', icon: ListChecks },
  { to: '/exports', label: 'Exports', icon: FileDown },
  { to: '/usage', label: 'Usage', icon: ChartNoAxesColumn },
  { to: '/keys', label: 'Keys', icon: KeyRound },
  { to: '/billing', label: 'Billing', icon: CreditCard },
  { to: '/account', label: 'Account', icon: Settings },
] as const

export const operatorNavigation = [{ to: '/operator', label: 'Operator', icon: ShieldCheck }] as const

/** Not a page of the console. */
export const docsLink = { href: '/docs', label: 'Docs', icon: BookOpen } as const
