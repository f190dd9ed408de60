import { tool } from "haft";

/** Resources of a company's systems, named by their integrations. */
const systems: Readonly<Record<string, readonly string[]>> = {
  accounting: words(
    "journal_entry ledger account budget tax_return fiscal_year asset cost_center accrual audit",
  ),
  analytics: words("dashboard report metric segment cohort funnel experiment dataset query alert"),
  billing: words(
    "invoice credit_note payment refund subscription plan coupon dunning_notice tax_rate receipt",
  ),
  calendar: words(
    "meeting appointment room_booking reminder availability agenda attendee time_zone holiday shift",
  ),
  clinic: words("patient prescription lab_result referral admission discharge allergy vaccination ward bed"),
  crm: words("lead contact company deal pipeline activity note quote territory forecast"),
  energy: words(
    "meter reading tariff outage inspection solar_panel battery charger contract grid_connection",
  ),
  events: words("conference speaker session ticket venue sponsor badge waitlist schedule exhibitor"),
  facilities: words(
    "building floor desk key_card work_order cleaning_task elevator parking_space visitor locker",
  ),
  fleet: words("vehicle driver trip fuel_card maintenance_job tire accident_report lease toll route"),
  helpdesk: words(
    "support_ticket macro queue escalation satisfaction_survey agent_shift article canned_reply tag sla",
  ),
  hr: words(
    "employee job_opening candidate interview offer_letter onboarding_task review goal leave_request benefit",
  ),
  inventory: words(
    "product variant stock_level warehouse_bin transfer supplier_lot recount barcode bundle price_list",
  ),
  learning: words(
    "course lesson quiz enrollment certificate instructor classroom assignment grade learning_path",
  ),
  legal: words(
    "contract_draft clause matter hearing nda trademark patent power_of_attorney filing signature_request",
  ),
  library: words(
    "book loan reservation reader_card fine shelf acquisition periodical catalogue_entry interlibrary_loan",
  ),
  loyalty: words(
    "member point_balance reward tier voucher campaign_bonus referral_code birthday_gift expiry redemption",
  ),
  marketing: words(
    "campaign audience landing_page banner keyword_bid social_post influencer press_release slogan brand_asset",
  ),
  newsletter: words(
    "issue subscriber mailing_list template bounce unsubscribe_request send_job link_click preview_text sender",
  ),
  payroll: words(
    "salary payslip bonus deduction timesheet overtime_claim garnishment pay_run bank_detail pension",
  ),
  procurement: words(
    "purchase_order vendor bid catalog_item approval_chain delivery_note framework_contract shortlist sample rating",
  ),
  security: words(
    "incident access_grant password_reset api_key certificate_request firewall_rule scan vulnerability login_session device",
  ),
  shipping: words(
    "parcel label carrier pickup customs_form tracking_event return_slip freight_quote container delivery_window",
  ),
  travel: words(
    "flight_booking hotel_stay rental_car expense_report visa_application itinerary mileage_claim lounge_pass train_ticket per_diem",
  ),
  warehouse: words(
    "pick_list packing_slip pallet dock_slot forklift cycle_count putaway_task cold_room scanner shipment_wave",
  ),
};

const actions: Readonly<Record<string, (thing: string) => string>> = {
  approve: (thing) => `Approves a ${thing} that waits for a decision.`,
  archive: (thing) => `Puts a ${thing} away so that it no longer shows in lists.`,
  assign: (thing) => `Makes a person responsible for a ${thing}.`,
  comment_on: (thing) => `Adds a comment to a ${thing} for colleagues to read.`,
  copy: (thing) => `Makes a new ${thing} with the same content.`,
  delete: (thing) => `Permanently removes a ${thing}.`,
  export: (thing) => `Writes a ${thing} to a file that other programs can read.`,
  get: (thing) => `Reads one ${thing} with all its details.`,
};

/** 25 systems, 10 resources each, 8 actions each: 2,000 deterministic tools. */
export const catalog = (used: string[]) =>
  Object.entries(systems).flatMap(([system, things]) =>
    things.flatMap((thing) =>
      Object.entries(actions).map(([action, describe]) => {
        const name = `${system}_${action}_${thing}`;
        const plain = thing.replaceAll("_", " ");
        return tool({
          name,
          description: `${describe(plain)} Part of the ${system} system.`,
          input: {
            type: "object",
            properties: {
              [`${thing}_id`]: { type: "string", description: `The id of the ${plain}` },
              reason: { type: "string", description: "Why, for the record" },
              dry_run: { type: "boolean", description: "Only say what would happen" },
            },
            required: [`${thing}_id`],
          },
          run: (input) => {
            used.push(name);
            return { done: name, input };
          },
        });
      }),
    ),
  );

function words(text: string): readonly string[] {
  return text.split(" ");
}
