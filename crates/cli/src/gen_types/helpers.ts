type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

type OtherSchema = { schema: keyof DatabaseWithoutInternals }

export type Tables<
  NameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"]) | OtherSchema,
  Name extends NameOrOptions extends OtherSchema
    ? keyof (DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[NameOrOptions["schema"]]["Views"])
    : never = never,
> = NameOrOptions extends OtherSchema
  ? (DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[NameOrOptions["schema"]]["Views"])[Name] extends { Row: infer Row }
    ? Row
    : never
  : NameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[NameOrOptions] extends { Row: infer Row }
      ? Row
      : never
    : never

export type TablesInsert<
  NameOrOptions extends keyof DefaultSchema["Tables"] | OtherSchema,
  Name extends NameOrOptions extends OtherSchema
    ? keyof DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"]
    : never = never,
> = NameOrOptions extends OtherSchema
  ? DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"][Name] extends { Insert: infer Insert }
    ? Insert
    : never
  : NameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][NameOrOptions] extends { Insert: infer Insert }
      ? Insert
      : never
    : never

export type TablesUpdate<
  NameOrOptions extends keyof DefaultSchema["Tables"] | OtherSchema,
  Name extends NameOrOptions extends OtherSchema
    ? keyof DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"]
    : never = never,
> = NameOrOptions extends OtherSchema
  ? DatabaseWithoutInternals[NameOrOptions["schema"]]["Tables"][Name] extends { Update: infer Update }
    ? Update
    : never
  : NameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][NameOrOptions] extends { Update: infer Update }
      ? Update
      : never
    : never

export type Enums<
  NameOrOptions extends keyof DefaultSchema["Enums"] | OtherSchema,
  Name extends NameOrOptions extends OtherSchema
    ? keyof DatabaseWithoutInternals[NameOrOptions["schema"]]["Enums"]
    : never = never,
> = NameOrOptions extends OtherSchema
  ? DatabaseWithoutInternals[NameOrOptions["schema"]]["Enums"][Name]
  : NameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][NameOrOptions]
    : never

export type CompositeTypes<
  NameOrOptions extends keyof DefaultSchema["CompositeTypes"] | OtherSchema,
  Name extends NameOrOptions extends OtherSchema
    ? keyof DatabaseWithoutInternals[NameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = NameOrOptions extends OtherSchema
  ? DatabaseWithoutInternals[NameOrOptions["schema"]]["CompositeTypes"][Name]
  : NameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][NameOrOptions]
    : never
