//! One module for each diagram type.

mod agentflow;
mod architecture;
mod block;
mod c4;
mod class;
mod cynefin;
mod date_format;
mod er;
mod eventmodeling;
mod flow_tree;
mod flowchart;
mod gantt;
mod gitgraph;
mod info;
mod ishikawa;
mod journey;
mod kanban;
mod mindmap;
mod packet;
mod pie;
mod quadrant;
mod radar;
mod railroad;
mod railroad_abnf;
mod railroad_ebnf;
mod railroad_peg;
mod requirement;
mod sankey;
mod sequence;
mod state;
mod task;
mod timeline;
mod treemap;
mod treeview;
mod usecase;
mod venn;
mod wardley;
mod xychart;

use super::{
    detect::{DiagramType, HEADER_WORDS, detect},
    diagram::Diagram,
};

/// The descriptions of all types that are checked.
pub(super) fn all_diagrams() -> impl Iterator<Item = &'static Diagram> {
    HEADER_WORDS.iter().filter_map(|word| diagram(detect(word)?))
}

/// The diagram type's description; none for a type that is not checked.
pub(super) fn diagram(kind: DiagramType) -> Option<&'static Diagram> {
    Some(match kind {
        DiagramType::Flowchart => &flowchart::DIAGRAM,
        DiagramType::Sequence => &sequence::DIAGRAM,
        DiagramType::Class => &class::DIAGRAM,
        DiagramType::Er => &er::DIAGRAM,
        DiagramType::State => &state::DIAGRAM,
        DiagramType::Gantt => &gantt::DIAGRAM,
        DiagramType::Pie => &pie::DIAGRAM,
        DiagramType::GitGraph => &gitgraph::DIAGRAM,
        DiagramType::Packet => &packet::DIAGRAM,
        DiagramType::Radar => &radar::DIAGRAM,
        DiagramType::Architecture => &architecture::DIAGRAM,
        DiagramType::Treemap => &treemap::DIAGRAM,
        DiagramType::TreeView => &treeview::DIAGRAM,
        DiagramType::Wardley => &wardley::DIAGRAM,
        DiagramType::Cynefin => &cynefin::DIAGRAM,
        DiagramType::EventModeling => &eventmodeling::DIAGRAM,
        DiagramType::Railroad => &railroad::DIAGRAM,
        DiagramType::RailroadEbnf => &railroad_ebnf::DIAGRAM,
        DiagramType::RailroadAbnf => &railroad_abnf::DIAGRAM,
        DiagramType::RailroadPeg => &railroad_peg::DIAGRAM,
        DiagramType::Info => &info::DIAGRAM,
        DiagramType::Mindmap => &mindmap::DIAGRAM,
        DiagramType::Kanban => &kanban::DIAGRAM,
        DiagramType::Timeline => &timeline::DIAGRAM,
        DiagramType::Journey => &journey::DIAGRAM,
        DiagramType::Quadrant => &quadrant::DIAGRAM,
        DiagramType::XyChart => &xychart::DIAGRAM,
        DiagramType::Requirement => &requirement::DIAGRAM,
        DiagramType::Sankey => &sankey::DIAGRAM,
        DiagramType::Block => &block::DIAGRAM,
        DiagramType::C4 => &c4::DIAGRAM,
        DiagramType::Venn => &venn::DIAGRAM,
        DiagramType::Ishikawa => &ishikawa::DIAGRAM,
        DiagramType::Agentflow => &agentflow::DIAGRAM,
        DiagramType::Usecase => &usecase::DIAGRAM,
        DiagramType::Error | DiagramType::Fence | DiagramType::Zenuml => return None,
    })
}
