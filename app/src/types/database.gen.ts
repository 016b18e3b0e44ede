export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  public: {
    Tables: {
      blogs: {
        Row: {
          author_id: string | null
          author_name: string
          category: string
          content: string
          created_at: string
          excerpt: string
          id: string
          published: boolean
          title: string
        }
        ComputedFields: never
        Insert: {
          author_id?: string | null
          author_name: string
          category?: string
          content: string
          created_at?: string
          excerpt: string
          id?: string
          published?: boolean
          title: string
        }
        Update: {
          author_id?: string | null
          author_name?: string
          category?: string
          content?: string
          created_at?: string
          excerpt?: string
          id?: string
          published?: boolean
          title?: string
        }
        Relationships: []
      }
      credit_ledger: {
        Row: {
          actor_id: string | null
          balance: number
          deduction_id: string | null
          delta: number
          entry: number
          id: number
          payment_id: string | null
          reason: string
          user_id: string
          written_at: string
        }
        ComputedFields: never
        Insert: {
          actor_id?: string | null
          balance: number
          deduction_id?: string | null
          delta: number
          entry: number
          id?: never
          payment_id?: string | null
          reason: string
          user_id: string
          written_at?: string
        }
        Update: {
          actor_id?: string | null
          balance?: number
          deduction_id?: string | null
          delta?: number
          entry?: number
          id?: never
          payment_id?: string | null
          reason?: string
          user_id?: string
          written_at?: string
        }
        Relationships: []
      }
      generations: {
        Row: {
          attempt: number
          body_hash: string | null
          deadline_at: string
          failure_reason: string | null
          finished_at: string | null
          id: string
          model_backed: boolean
          request_key: string
          result: Json | null
          started_at: string
          status: string
          tool: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          attempt: number
          body_hash?: string | null
          deadline_at: string
          failure_reason?: string | null
          finished_at?: string | null
          id?: string
          model_backed?: boolean
          request_key: string
          result?: Json | null
          started_at?: string
          status?: string
          tool: string
          user_id: string
        }
        Update: {
          attempt?: number
          body_hash?: string | null
          deadline_at?: string
          failure_reason?: string | null
          finished_at?: string | null
          id?: string
          model_backed?: boolean
          request_key?: string
          result?: Json | null
          started_at?: string
          status?: string
          tool?: string
          user_id?: string
        }
        Relationships: []
      }
      payment_transactions: {
        Row: {
          amount: number
          created_at: string
          credits: number
          customer_info: Json | null
          granted_credits: number | null
          phone_number: string | null
          rejection_reason: string | null
          settled_at: string | null
          status: string
          transaction_id: string
          user_id: string
          reported_by_others: boolean | null
        }
        ComputedFields: "reported_by_others"
        Insert: {
          amount: number
          created_at?: string
          credits: number
          customer_info?: Json | null
          granted_credits?: number | null
          phone_number?: string | null
          rejection_reason?: string | null
          settled_at?: string | null
          status?: string
          transaction_id: string
          user_id: string
        }
        Update: {
          amount?: number
          created_at?: string
          credits?: number
          customer_info?: Json | null
          granted_credits?: number | null
          phone_number?: string | null
          rejection_reason?: string | null
          settled_at?: string | null
          status?: string
          transaction_id?: string
          user_id?: string
        }
        Relationships: []
      }
      profiles: {
        Row: {
          coins: number
          last_payment_amount: number | null
          last_payment_date: string | null
          last_payment_time: string | null
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          coins: number
          last_payment_amount?: number | null
          last_payment_date?: string | null
          last_payment_time?: string | null
          updated_at?: string
          user_id: string
        }
        Update: {
          coins?: number
          last_payment_amount?: number | null
          last_payment_date?: string | null
          last_payment_time?: string | null
          updated_at?: string
          user_id?: string
        }
        Relationships: []
      }
      user_roles: {
        Row: {
          assigned_at: string
          role: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          assigned_at?: string
          role: string
          user_id: string
        }
        Update: {
          assigned_at?: string
          role?: string
          user_id?: string
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      admin_delete_user: { Args: { target_user_id: string }; Returns: undefined }
      admin_recent_generations: { Args: Record<PropertyKey, never>; Returns: { email: string; failure_reason: string; finished_at: string; id: string; model_backed: boolean; started_at: string; status: string; tool: string; user_id: string }[] }
      admin_reject_payment: { Args: { payer: string; payment_id: string; reason: string }; Returns: undefined }
      admin_settle_payment: { Args: { approved_credits: number; payer: string; payment_id: string }; Returns: number }
      admin_update_user_credits: { Args: { credit_change: number; target_user_id: string }; Returns: number }
      assign_user_role: { Args: { new_role: string; target_user_id: string }; Returns: undefined }
      begin_sample_reading: { Args: { owner: string }; Returns: boolean }
      cancel_generation: { Args: { request_key: string }; Returns: boolean }
      claim_generation: { Args: { body_hash?: string; claim_id?: string; model_backed?: boolean; owner: string; request_key: string; tool: string }; Returns: { attempt: number; generation_id: string; outcome: string; result: Json; retry_after: number }[] }
      claim_mail: { Args: { kind: string; recipient: string; request_key: string; sender: string }; Returns: { mail_id: string; outcome: string; retry_after: number }[] }
      complete_generation: { Args: { generation_id: string; result: Json }; Returns: boolean }
      create_user_profile_if_missing: { Args: Record<PropertyKey, never>; Returns: boolean }
      end_sample_reading: { Args: { owner: string }; Returns: boolean }
      fail_claim: { Args: { claim_id: string; owner: string; reason: string }; Returns: boolean }
      fail_generation: { Args: { generation_id: string; reason: string }; Returns: boolean }
      get_all_users: { Args: Record<PropertyKey, never>; Returns: { coins: number; created_at: string; email: string; phone_number: string; user_id: string }[] }
      is_admin_user: { Args: { user_id_param: string }; Returns: boolean }
      note_model_tokens: { Args: { tokens: number }; Returns: number }
      note_refusal: { Args: { body_hash?: string; owner: string; tool: string }; Returns: number }
      prolong_generation: { Args: { generation_id: string }; Returns: boolean }
      refuse_call: { Args: { owner: string; tool: string }; Returns: boolean }
      reported_by_others: { Args: { payment: Omit<Database["public"]["Tables"]["payment_transactions"]["Row"], Database["public"]["Tables"]["payment_transactions"]["ComputedFields"]> }; Returns: boolean }
      sweep_deductions: { Args: Record<PropertyKey, never>; Returns: number }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

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

export const Constants = {
  public: {
    Enums: {},
  },
} as const
